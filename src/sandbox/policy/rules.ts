// From what a role says to what the walls let through. Whatever is not said here is not there inside.
import { isWithin } from '../../base/path/rules.ts'
import type { SandboxFile } from '../../role/sandbox/schema.ts'
import type { Access, Mount, Network, Trouble, Walls } from '../schema.ts'

const mebibyte = 1024 * 1024
const tmpBytes = 1024 * mebibyte
const homeBytes = 256 * mebibyte
/** Far above any build, far below what stops a machine. */
const processes = 4096

export type Places = {
  readonly root: string
  readonly home: string
  readonly tree: {
    readonly path: string
    readonly access: Access
    /**
     * Whose it is: the user's; a clone that agency made, whose .git is written by whoever works there; or an
     * empty directory that agency made for this agent alone, where nothing needs to be kept from anybody.
     */
    readonly kind: 'theirs' | 'clone' | 'work'
  }
  /** Paths of the session, as real as the others. */
  readonly writable: readonly string[]
  readonly readable: readonly Mount[]
  /** Of the role: resolved. */
  readonly more: { readonly read: readonly string[]; readonly write: readonly string[] }
  /** What lies in the tree and must not change, after what is missing was made; see `frozenNames`. */
  readonly frozen: readonly Mount[]
}

export const networkOf = ({ network, allow_network }: SandboxFile): Network =>
  network ?? (allow_network === false ? 'none' : 'full')

export type Frozen = {
  readonly name: string
  readonly kind: 'file' | 'directory'
  /** What a file holds inside where there was none. */
  readonly text?: string
}
const directory = (name: string): Frozen => ({ name, kind: 'directory' })
const file = (name: string, text = ''): Frozen => ({ name, kind: 'file', text })

/** What a program outside runs or obeys without being asked, only because it lies in a tree. */
const obeyed = [
  directory('.claude'),
  directory('.vscode'),
  directory('.idea'),
  file('.mcp.json', '{"mcpServers":{}}\n'),
  file('.envrc'),
]

/** Git runs what these name. An empty `commondir` would break it; a dot says "here", as its absence does. */
const ofGit = [
  directory('.git/hooks'),
  directory('.git/info'),
  directory('.git/modules'),
  file('.git/config'),
  file('.git/config.worktree'),
  file('.git/commondir', '.\n'),
]

/**
 * In a tree of the user's the whole .git is read-only: what git obeys in there cannot be held apart from the
 * rest without leaving a trace that breaks git outside.
 */
export const frozenNames = ({ kind, access }: Places['tree']): readonly Frozen[] => {
  if (access === 'read' || kind === 'work') return []
  return kind === 'clone' ? [...ofGit, ...obeyed] : [directory('.git'), ...obeyed]
}

/** A mount cannot be renamed, but what it lies in can, and with it what is frozen there would go out of the way. */
const anchors = ({ kind, access, path }: Places['tree']): readonly string[] =>
  kind === 'clone' && access === 'write' ? [`${path}/.git`] : []

/** A tree that would show what walls are there to hide. */
export const placeTrouble = ({
  root,
  home,
  tree,
}: Pick<Places, 'root' | 'home' | 'tree'>): Trouble | undefined => {
  const fix = 'Run it in a directory of its own, or with `worktree: {enabled: true}` in the role.'
  if (isWithin(tree.path, home)) return { cause: `${tree.path} holds your whole home directory`, fix }
  if (tree.path === root) return { cause: `${tree.path} is agency's own root`, fix }
  if (isWithin(root, tree.path) && tree.kind === 'theirs')
    return { cause: `${tree.path} lies in agency's own root`, fix }
  return undefined
}

const depth = (path: string): number => path.split('/').length

const bind =
  (access: Access) =>
  (path: string): Mount => ({ from: path, to: path, access })

/** Of two for one place the later is meant: what is frozen stays so. */
const lastOf = (mounts: readonly Mount[]): readonly Mount[] => [
  ...new Map(mounts.map((mount) => [mount.to, mount])).values(),
]

export type Asked = {
  readonly settings: SandboxFile
  readonly places: Places
  readonly terminal: boolean
  readonly doors: Walls['doors']
}

export const wallsOf = ({ settings, places, terminal, doors }: Asked): Walls => {
  const { root, home, tree, writable, readable, more, frozen } = places
  const mounts = lastOf([
    ...readable,
    ...more.read.map(bind('read')),
    ...more.write.map(bind('write')),
    bind(tree.access)(tree.path),
    ...anchors(tree).map(bind('write')),
    ...writable.map(bind('write')),
    ...frozen,
  ])
  const shown = (path: string): boolean => mounts.some(({ to }) => isWithin(to, path))
  return {
    // Sorted stably: of two that lie equally deep neither can cover the other.
    mounts: [...mounts].sort((one, other) => depth(one.to) - depth(other.to)),
    hidden: shown(root) ? [root] : [],
    home,
    cwd: tree.path,
    network: networkOf(settings),
    terminal,
    doors,
    limits: {
      tmpBytes,
      homeBytes,
      memoryMb: settings.memory_mb,
      processes: settings.max_processes ?? processes,
    },
  }
}
