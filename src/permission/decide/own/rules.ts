// Files that no agent writes, whatever its role: they decide what runs outside of it, or what holds it.
import { isWithin } from '../../../base/path/rules.ts'
import { resolvePath } from '../../path/rules.ts'
import type { Facts, Ground } from '../schema.ts'
import type { Target, Touch } from '../touch/rules.ts'

/**
 * Git outside runs what these name, and the CLI runs hooks and servers that these name. What people edit as part of
 * their work (.gitattributes, .gitmodules, .envrc, .vscode, CLAUDE.md, .claude/agents) is not among them: those are
 * frozen within walls, and no rule without walls could hold what a build may write.
 */
const traps: readonly (readonly [RegExp, string])[] = [
  [/\/\.git$/, '.git'],
  [/\/\.git\/(.*\/)?hooks(\/|$)/, '.git/hooks'],
  [/\/\.git\/(.*\/)?config(\.worktree)?$/, '.git/config'],
  [/\/\.git\/(.*\/)?(commondir|gitdir)$/, '.git/commondir'],
  [/\/\.git\/(.*\/)?info\/attributes$/, '.git/info/attributes'],
  [/\/\.git\/(.*\/)?objects\/info\/alternates$/, '.git/objects/info/alternates'],
  [/\/\.git\/modules(\/[^/]*)?$/, '.git/modules'],
  [/\/\.mcp\.json$/, '.mcp.json'],
  [/\/\.claude$/, '.claude'],
  [/\/\.claude\/settings[^/]*\.json$/, '.claude/settings.json'],
  [/\/\.claude\/hooks(\/|$)/, '.claude/hooks'],
  [/\/\.claude\.json$/, '.claude.json'],
  [/^\/etc\/claude-code(\/|$)/, '/etc/claude-code'],
]

/** Some file systems do not tell the cases apart, and so neither do we. */
const trapAt = (path: string): string | undefined =>
  traps.find(([pattern]) => pattern.test(path.toLowerCase()))?.[1]

/** What lies in the root and is the agent's own: its tree, its scratch, what its CLI has it write down. */
const isGiven = ({ root, tree, session, config }: Ground, path: string): boolean =>
  (isWithin(root, tree) && tree !== root && isWithin(tree, path)) ||
  (session !== undefined && isWithin(`${session}/tmp`, path)) ||
  (config !== undefined && isWithin(`${config}/plans`, path)) ||
  (config !== undefined && isWithin(`${config}/projects`, path) && /\/memory\/[^/]+\.md$/.test(path))

const configAt = ({ config }: Ground, path: string): string | undefined =>
  config !== undefined &&
  isWithin(config, path) &&
  /^\/?(settings[^/]*\.json|hooks(\/.*)?|plugins(\/.*)?|\.claude\.json)?$/.test(path.slice(config.length))
    ? 'the settings of the agent'
    : undefined

/** What of ours is written when this path is. */
const ownAt = (ground: Ground, path: string): string | undefined => {
  if (isWithin(ground.root, path) && !isGiven(ground, path)) return "agency's root"
  return configAt(ground, path) ?? trapAt(path)
}

/** Who has these can speak for a person, or for another agent. */
const secrets =
  /^\/(token|\.env|credentials(\/.*)?|view(\/.*)?|sessions\/.*\/(settings\.json|\.credentials\.json|keeper\.json))$/

/** Who speaks by the host's socket is taken for a person; agency's own commands say who they are. */
const secretAt = ({ root }: Ground, path: string): string | undefined => {
  if (!isWithin(root, path)) return undefined
  const inside = path.slice(root.length)
  if (/^\/sockets\/./.test(inside)) return 'a socket of agency'
  return secrets.test(inside) ? 'a secret of agency' : undefined
}

/** Whoever takes away a directory takes away what lies in it. */
const ownIn = (ground: Ground, path: string): string | undefined => {
  if (isWithin(path, ground.root) && path !== ground.root) return "agency's root"
  if (isWithin(path, ground.tree)) return '.git'
  return undefined
}

/** A name in a text that is not whole: it counts where what is known of it leads to something of ours. */
const hinted = (ground: Ground, pieces: Target['pieces']): string | undefined => {
  for (const [place, piece] of pieces.entries()) {
    if (piece === null) continue
    const text = `${place === 0 ? '/' : ''}${piece}`
    const found = trapAt(text) ?? trapAt(`/${piece}`)
    if (found !== undefined) return found
    if (rootedIn(ground, piece).some((path) => !isGiven(ground, path))) return "agency's root"
    // Right before the unknown: it may be any file in there.
    const open = /\/\.(git|claude)(\/[^/]*)?$/i.exec(text)
    if (open !== null && place < pieces.length - 1) return `.${open[1]}`
  }
  return undefined
}

/** In the text of a command that could not be read, or that a program of unknown effect is given. */
const mentioned =
  /(^|[^\w-])(\.git\/(hooks|config|commondir|info\/attributes|modules)|\.mcp\.json|\.claude\/(settings|hooks)|\.claude\.json)(?![\w-])/i

/** The path that begins where the root is named. */
const rootedIn = ({ root }: Ground, text: string): readonly string[] =>
  text
    .split(`${root}/`)
    .slice(1)
    .map((rest) => resolvePath(root, /^[^\s'"`;|&<>(){}$]*/.exec(rest)?.[0] ?? '', root))

const mentionIn = (ground: Ground, text: string): string | undefined =>
  mentioned.exec(text)?.[2] ??
  (rootedIn(ground, text).some((path) => !isGiven(ground, path)) ? "agency's root" : undefined)

export type Found = {
  readonly what: string
  readonly shown: string
  readonly verb: 'write' | 'read' | 'run'
}

const first = <T>(items: readonly T[], look: (item: T) => string | undefined): string | undefined => {
  for (const item of items) {
    const found = look(item)
    if (found !== undefined) return found
  }
  return undefined
}

type Looking = { readonly ground: Ground; readonly facts: Facts }

const atTarget = ({ ground, facts }: Looking, target: Target): string | undefined => {
  if (target.byGit) return undefined
  if (target.paths.length === 0) return hinted(ground, target.pieces)
  return first(target.paths, (path) => {
    const fact = Object.hasOwn(facts, path) ? facts[path] : undefined
    if (fact === undefined) return ownAt(ground, path) ?? 'something that could not be looked at'
    return ownAt(ground, path) ?? ownAt(ground, fact.real)
  })
}

/** By text only: not every word is a file. */
const atWord = (ground: Ground, target: Target): string | undefined =>
  first(target.paths, (path) => trapAt(path)) ??
  first(target.pieces, (piece) => (piece === null ? undefined : mentionIn(ground, piece)))

const secretIn = ({ ground, facts }: Looking, target: Target): string | undefined =>
  first(target.paths, (path) => {
    const fact = Object.hasOwn(facts, path) ? facts[path] : undefined
    return secretAt(ground, path) ?? (fact === undefined ? undefined : secretAt(ground, fact.real))
  })

/** `text` is the whole command, where there is one. */
export const ownTouched = (
  ground: Ground,
  facts: Facts,
  touch: Touch,
  text: string | undefined,
): Found | undefined => {
  const looking = { ground, facts }
  const among = (
    targets: readonly Target[],
    look: (target: Target) => string | undefined,
    verb: Found['verb'] = 'write',
  ): Found | undefined => {
    for (const target of targets) {
      const what = look(target)
      if (what !== undefined) return { what, shown: target.shown, verb }
    }
    return undefined
  }
  const found =
    among(touch.writes, (target) => atTarget(looking, target)) ??
    among(
      touch.deletes,
      (target) =>
        (target.byGit ? undefined : first(target.paths, (path) => ownIn(ground, path))) ??
        atTarget(looking, target),
    ) ??
    among(touch.words, (target) => atWord(ground, target)) ??
    among([...touch.reads, ...touch.named], (target) => secretIn(looking, target), 'read')
  if (found !== undefined) return found
  const [order] = touch.orders
  if (order !== undefined) return { what: 'what answers for a person', shown: order, verb: 'run' }
  const what = touch.doubts.length > 0 && text !== undefined ? mentionIn(ground, text) : undefined
  return what === undefined ? undefined : { what, shown: what, verb: 'write' }
}
