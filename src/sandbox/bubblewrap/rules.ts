// Walls as arguments of bubblewrap. The file system is built up from nothing, never taken away from. No secret
// may be among them: everybody on this machine can read them; the environment comes by bwrap's own.
import { isWithin } from '../../base/path/rules.ts'
import type { Builder, Mount, System, Walls } from '../schema.ts'

/** Where the sockets of the doors are inside. */
export const doorPlace = (at: number): string => `/run/agency/${at}`

const namespaces = ({ network, terminal }: Walls): readonly string[] => [
  '--unshare-all',
  // `--unshare-all` goes on without one where the kernel refuses it.
  '--unshare-user',
  '--disable-userns',
  ...(network === 'full' ? ['--share-net'] : []),
  '--die-with-parent',
  ...(terminal ? [] : ['--new-session']),
  // For root only: everybody else has none to drop.
  ...['--cap-drop', 'ALL'],
  ...['--hostname', 'agency'],
]

const system = ({ directories, links, files }: System): readonly string[] => [
  ...directories.flatMap((path) => ['--ro-bind', path, path]),
  ...links.flatMap(({ path, target }) => ['--symlink', target, path]),
  ...files.flatMap(({ from, to }) => ['--ro-bind', from, to]),
]

const empty = (bytes: number, path: string): readonly string[] => ['--size', String(bytes), '--tmpfs', path]

/** Only directories on the way to mounts lie there. */
const hiddenBytes = 65_536

const own = ({ home, limits }: Walls): readonly string[] => [
  ...['--proc', '/proc', '--dev', '/dev'],
  ...empty(limits.tmpBytes, '/tmp'),
  ...empty(limits.homeBytes, '/dev/shm'),
  ...(home === '/' ? [] : empty(limits.homeBytes, home)),
]

const bind = ({ access, from, to }: Mount): readonly string[] => [
  access === 'read' ? '--ro-bind' : '--bind',
  from,
  to,
]

/** What is hidden covers what lies around it, and is covered by what lies within. */
const layers = ({ mounts, hidden }: Walls): readonly string[] => {
  const inside = (path: string): boolean => hidden.some((one) => path !== one && isWithin(one, path))
  return [
    ...mounts.filter(({ to }) => !inside(to)).flatMap(bind),
    ...hidden.flatMap((path) => empty(hiddenBytes, path)),
    ...mounts.filter(({ to }) => inside(to)).flatMap(bind),
    // Whatever was made in there on the way to a mount stays as it is.
    ...hidden.flatMap((path) => ['--remount-ro', path]),
  ]
}

const doors = (walls: Walls): readonly string[] =>
  walls.doors.flatMap(({ socket }, at) => ['--ro-bind', socket, doorPlace(at)])

/**
 * Root without any capability still owns /proc/sys and could name a program there that the kernel starts outside.
 * Bubblewrap covers only what it believes to be writable, and is wrong for root.
 */
const closed = ['--remount-ro', '/proc', '--remount-ro', '/dev', '--remount-ro', '/']

/** Ctrl-C in a terminal goes to everybody in the foreground: to the walls too, which must stay. */
const deaf = `trap '' INT QUIT; exec "$@"`
const hearing = ['/usr/bin/env', '--default-signal=INT,QUIT']

/** Counted within the walls' own user namespace, and not for root. Shells disagree about the letter. */
const limiting = (processes: number): string =>
  `ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes} 2>/dev/null`

/** What slows Node down or loads code into it is for the program alone. */
const forwarding = 'unset NODE_OPTIONS NODE_EXTRA_CA_CERTS; "$1" "$2" "$3" </dev/null'

/** In a terminal the doors are open before the program begins: it would find its hooks dead otherwise, and stop. */
const opening = `up=$(${forwarding} &); [ "$up" = up ] || exit 71; shift 3`

/**
 * A headless program starts meanwhile, and goes on when its input has ended: the keeper ends that when the doors are
 * open. Without them it would wait for ever, or work on with neither model nor hooks: so it is killed.
 */
const openingBeside = `((${forwarding} >/dev/null || { echo 'agency: the way out of the sandbox is gone' >&2; kill -9 $$; }) &); shift 3`

export type Program = {
  readonly argv: readonly string[]
  /** Node and the program that opens the doors, as they are seen inside. */
  readonly forward: readonly [node: string, script: string]
}

const inner = (walls: Walls, builder: Builder, { argv, forward }: Program): readonly string[] => {
  const heard = walls.terminal && builder.resets ? [...hearing, ...argv] : argv
  const spec = walls.doors.map(({ port }, at) => `${port}=${doorPlace(at)}`).join(',')
  const doors = walls.terminal ? opening : openingBeside
  const steps = [limiting(walls.limits.processes), ...(spec === '' ? [] : [doors]), 'exec "$@"']
  return ['/bin/sh', '-c', steps.join('; '), 'sh', ...(spec === '' ? [] : [...forward, spec]), ...heard]
}

/** Only the program that makes the walls needs it; unset again inside. */
const limited = ({ limits }: Walls, builder: Builder): readonly string[] => {
  const { memoryMb, processes } = limits
  // A scope costs more than all the walls: only who asks for memory gets one.
  if (builder.limits === undefined || memoryMb === undefined) return []
  const set = ['-p', `MemoryMax=${memoryMb}M`, '-p', 'MemorySwapMax=0', '-p', `TasksMax=${processes}`]
  const { path, runtime } = builder.limits
  return [
    '/usr/bin/env',
    `XDG_RUNTIME_DIR=${runtime}`,
    path,
    '--user',
    '--scope',
    '--quiet',
    '--collect',
    ...set,
    '--',
  ]
}

/** What a keeper starts. */
export const bubblewrap = (
  walls: Walls,
  found: { readonly system: System; readonly builder: Builder },
  program: Program,
): readonly string[] => [
  ...(walls.terminal ? ['/bin/sh', '-c', deaf, 'sh'] : []),
  ...limited(walls, found.builder),
  found.builder.path,
  ...namespaces(walls),
  ...['--unsetenv', 'XDG_RUNTIME_DIR'],
  ...system(found.system),
  ...own(walls),
  ...layers(walls),
  ...doors(walls),
  ...closed,
  ...['--chdir', walls.cwd, '--'],
  ...inner(walls, found.builder, program),
]
