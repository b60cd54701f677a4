// The state of a tree as one hash. Runs nothing of the tree: no hook, filter or monitor, and no git of a repository
// inside it. What git ignores is not part of it, nor is .git; all other files are, those of submodules too.
import { randomBytes } from 'node:crypto'
import { copyFile, lstat, realpath, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fail } from '../base/error/fail.ts'
import { readText } from '../base/file/read.ts'
import { writeAtomic } from '../base/file/write.ts'
import { isWithin } from '../base/path/rules.ts'
import { oneLine } from '../base/text/rules.ts'
import { layout } from '../config/layout/rules.ts'
import { frozenNames } from '../sandbox/policy/rules.ts'
import { git, tellGit } from './git.ts'
import { readPlace } from './repository.ts'
import { commonOf } from './rules.ts'
import { command, isPartial } from './text/rules.ts'
import { type Kept, openVault, remember } from './vault.ts'

export { clearSnapshots, type Kept, removeSnapshots } from './vault.ts'

export type Snapped = Kept & { readonly tree: string }

const limits = {
  seconds: 120,
  /** Of files that are new or changed. */
  bytes: 2 * 1024 ** 3,
  tries: 3,
  /** Repositories within repositories. */
  depth: 16,
}
export type Limits = typeof limits

type Tell = (args: readonly string[], names?: readonly string[]) => Promise<string>

/** A file that changes again within a second may look the same, and its times can be set: it is read anew. */
const settled = 2_000

/** Above this they are written into one file: half the time, and a twentieth of the space. */
const many = 200
const packed = ['-c', 'core.bigFileThreshold=1']

const names = (listed: string): readonly string[] => listed.split('\0').filter((name) => name !== '')

/** What the repository itself ignores without saying so in its tree. Only patterns: no file of it is run or shown. */
const excluded = async (tree: string): Promise<readonly string[]> => {
  const place = await readPlace(tree)
  if (place.kind !== 'directory' || place.git === 'none' || place.git === 'garbage') return []
  const own = 'gitdir' in place ? commonOf(place.gitdir) : join(tree, '.git')
  const file = join(own, 'info/exclude')
  return 'text' in (await readText(file, { nofollow: true })) ? [`--exclude-from=${file}`] : []
}

/** What a root that lies in the tree keeps for itself: it holds secrets, and changes with each snapshot. */
const kept = ({ root, tree }: Pick<Snapped, 'root' | 'tree'>): readonly string[] => {
  if (!isWithin(tree, root)) return []
  const at = layout(root)
  const files = [at.token, at.host, at.lock, at.store, `${at.store}-wal`, `${at.store}-shm`, at.log, at.env]
  const folders = [at.sessions, at.worktrees, at.work, at.sockets, at.credentials, at.view, at.claudeConfig]
  const logs = [at.agentLog('*'), at.directorLog('*')].map((path) => path.slice(root.length))
  const own = [...files, ...folders, at.history, at.reviews, at.snapshots].map((path) =>
    path.slice(root.length),
  )
  const above = root.slice(tree.length).replace(/[\\*?[\]\s]/g, '\\$&')
  return [...own, ...logs].map((path) => `--exclude=${above}${path}`)
}

const listing = async (where: Pick<Snapped, 'root' | 'tree'>): Promise<readonly string[]> => [
  ...['ls-files', '-z', '--exclude-per-directory=.gitignore'],
  ...(await excluded(where.tree)),
  ...kept(where),
]

/** Git would record a repository inside as one number, and would run git in there to look. A file that it is said to
 * track in there makes it a directory like others; there is none of that name, so it is gone with the next update. */
const enter = async (tell: Tell, list: readonly string[]): Promise<readonly string[]> => {
  for (let depth = 0; depth < limits.depth; depth++) {
    const found = names(await tell([...list, '--others', '--modified']))
    const inside = found.filter((name) => name.endsWith('/'))
    if (inside.length === 0) return found
    const marks = inside.map((name) => `100644 ${emptyBlob}\t${name}.agency-${mark}`)
    await tell(['update-index', '-z', '--index-info'], marks)
  }
  throw new Error('repositories lie within repositories')
}
const emptyBlob = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391'
const mark = '0b6f9a41'

type Seen = { readonly name: string; readonly size: number; readonly file: boolean }

/** Whether a link leads to this directory: git would read through it, and then refuse to say that its files are gone. */
const linksAbove = (tree: string): ((name: string) => Promise<boolean>) => {
  const known = new Map<string, Promise<boolean>>()
  const look = (folder: string): Promise<boolean> => {
    const path = pathOf(tree, folder)
    // Gone, or a file: git sees that itself.
    return realpath(path, 'buffer').then(
      (real) => !real.equals(path),
      () => false,
    )
  }
  return (name) => {
    const folder = dirname(name)
    if (folder === '.') return Promise.resolve(false)
    const found = known.get(folder) ?? look(folder)
    known.set(folder, found)
    return found
  }
}

const pathOf = (tree: string, name: string): Buffer =>
  Buffer.concat([Buffer.from(`${tree}/`), Buffer.from(name, 'latin1')])

/** Walls make these where they are missing, and take them away again: empty, they are as good as not there. */
const placeholders: ReadonlySet<string> = new Set(
  frozenNames({ kind: 'theirs', access: 'write', path: '' })
    .filter(({ kind }) => kind === 'file')
    .map(({ name }) => name),
)

const see = async (tree: string, found: readonly string[]): Promise<readonly Seen[]> => {
  const isLinked = linksAbove(tree)
  const seen: Seen[] = []
  for (const name of found) {
    // What has gone meanwhile is told to git as all others are.
    const facts = await lstat(pathOf(tree, name)).catch(() => undefined)
    const size = facts?.isFile() ? facts.size : 0
    const empty = facts?.isFile() === true && size === 0 && placeholders.has(name)
    const file = facts?.isDirectory() !== true && !empty && !(await isLinked(name))
    seen.push({ name, size, file })
  }
  return seen
}

const youngOf = async (tree: string, list: readonly string[], since: number): Promise<readonly string[]> => {
  const young: string[] = []
  for (const name of list) {
    const facts = await lstat(pathOf(tree, name)).catch(() => undefined)
    if (facts !== undefined && facts.ctimeMs > since) young.push(name)
  }
  return young
}

/** Written into the index without what would tell that a file is still the same. */
const distrust = async (tell: Tell, young: ReadonlySet<string>): Promise<void> => {
  if (young.size === 0) return
  const entries = names(await tell(['ls-files', '-z', '--stage'])).flatMap((line) => {
    const [, mode = '', blob = '', name = ''] = /^(\d+) (\w+) 0\t(.*)$/s.exec(line) ?? []
    return young.has(name) ? [`${mode} ${blob}\t${name}`] : []
  })
  await tell(['update-index', '-z', '--index-info'], entries)
}

type Recorded = { readonly id: string; readonly young: readonly string[] }

const record = async (
  where: Pick<Snapped, 'root' | 'tree'>,
  tell: Tell,
  { most, before }: { readonly most: number; readonly before: readonly string[] },
): Promise<Recorded> => {
  const { tree } = where
  const began = Date.now()
  const found = await enter(tell, await listing(where))
  const seen = await see(tree, [...new Set([...found, ...before])])
  const size = seen.reduce((sum, one) => sum + one.size, 0)
  if (size > most) throw new Error(`${size} bytes are new or changed, and at most ${most} are looked at`)
  const those = (file: boolean): readonly string[] =>
    seen.filter((one) => one.file === file).map(({ name }) => name)
  await tell(['update-index', '-z', '--force-remove', '--stdin'], those(false))
  const update = ['update-index', '-z', '--add', '--remove', '--replace', '--stdin']
  await tell([...(seen.length > many ? packed : []), ...update], those(true))
  // After git has read them: whatever changed since is young too.
  const young = await youngOf(tree, those(true), began - settled)
  await distrust(tell, new Set(young))
  return { id: (await tell(['write-tree'])).trim(), young }
}

/** Each works on an index of its own, which takes the place of the last one: nobody waits for a lock that is left. */
const attempt = async (
  vault: string,
  where: Pick<Snapped, 'root' | 'tree'>,
  left: () => number,
  most: number,
): Promise<string> => {
  const { tree } = where
  const index = join(vault, `index.${randomBytes(6).toString('hex')}`)
  const tell: Tell = async (args, list = []) => {
    const whole = [`--git-dir=${vault}`, `--work-tree=${tree}`, ...args]
    const input = list.map((name) => `${name}\0`).join('')
    const told = await tellGit(whole, { env: { GIT_INDEX_FILE: index }, input, bytes: true, seconds: left() })
    // Git leaves out a name that it does not like, and ends as if nothing were missing.
    const [skipped] = /^Ignoring path .*$/m.exec(told.words) ?? []
    if (told.code !== 0 || isPartial(told.words) || skipped !== undefined)
      throw new Error(oneLine(skipped?.replace('Ignoring path', 'git does not take') ?? told.words, 300))
    return told.out
  }
  try {
    await copyFile(join(vault, 'index'), index).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
    const before = await readText(join(vault, 'young'), { nofollow: true, limit: 64 * 1024 * 1024 })
    const known = 'text' in before ? (JSON.parse(before.text) as readonly string[]) : []
    const { id, young } = await record(where, tell, { most, before: known })
    await rename(index, join(vault, 'index'))
    await writeAtomic(join(vault, 'young'), JSON.stringify(young))
    return id
  } finally {
    await rm(index, { force: true })
    await rm(`${index}.lock`, { force: true })
  }
}

/** The hash that verdicts bind to. */
export const snapshot = async (where: Snapped, wanted: Partial<Limits> = {}): Promise<string> => {
  const { seconds, bytes, tries } = { ...limits, ...wanted }
  const end = performance.now() + seconds * 1000
  const left = (): number => Math.max(0.001, (end - performance.now()) / 1000)
  const refuse = (why: string) =>
    fail('worktree_snapshot', {
      tree: where.tree,
      why,
      repair: command('git', '-C', where.tree, 'status', '--ignored'),
    })
  const tree = await realpath(where.tree).catch((error: NodeJS.ErrnoException) =>
    refuse(error.code === 'ENOENT' ? 'it is not there' : String(error.code)),
  )
  const vault = await openVault(where)
  const root = await realpath(where.root)
  for (let count = 1; ; count++) {
    try {
      const made = await attempt(vault, { root, tree }, left, bytes)
      await remember(vault, made)
      return made
    } catch (error) {
      // Somebody may be working there: what was listed is a moment later something else.
      if (count >= tries || left() < 0.01) return refuse((error as Error).message.replace(/\.$/, ''))
    }
  }
}

/** What git ignores there, directories as one: it is in no snapshot. Of their names at most so many. */
export const ignoredIn = async (where: Snapped, most = 200): Promise<readonly string[]> => {
  const vault = await openVault(where)
  const [root, tree] = await Promise.all([realpath(where.root), realpath(where.tree)])
  const listed = await git(
    [
      `--git-dir=${vault}`,
      `--work-tree=${tree}`,
      ...(await listing({ root, tree })),
      '--others',
      '--ignored',
      '--directory',
    ],
    { seconds: 60 },
  )
  const found = names(listed)
  const whole = new Set(found.filter((name) => name.endsWith('/')))
  const isInside = (name: string): boolean =>
    [...name.slice(0, -1).matchAll(/\//g)].some(({ index }) => whole.has(name.slice(0, index + 1)))
  return found.filter((name) => !isInside(name)).slice(0, most)
}
