// Puts walls around a launch: from what is to run to what a keeper starts. Fails closed: nothing here ever gives
// back the launch as it came.
import { mkdir, realpath, writeFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { fail } from '../base/error/fail.ts'
import { isWithin } from '../base/path/rules.ts'
import { socketPath } from '../config/socket.ts'
import type { SandboxFile } from '../role/sandbox/schema.ts'
import { bubblewrap } from './bubblewrap/rules.ts'
import { walledEnvironment } from './env/rules.ts'
import { findBuilder, findLimits } from './find.ts'
import { freeze, thaw } from './frozen.ts'
import { expand, rolePath } from './path.ts'
import { networkOf, type Places, placeTrouble, wallsOf } from './policy/rules.ts'
import { locateAll, programMounts } from './program.ts'
import { egressPort, type KeptWalls, type Model } from './relay/schema.ts'
import type { Builder, Door, Mount, Network, System, Trouble, Walls } from './schema.ts'
import { readSystem } from './system.ts'

export type Wanted = {
  readonly agent: string
  readonly settings: SandboxFile
  readonly root: string
  readonly home: string
  readonly tree: Places['tree']
  /** The session's directory: nothing of it is seen inside but what stands here. */
  readonly session: string
  /** Its config directory and what else it writes; all must exist. */
  readonly writable: readonly string[]
  /** What is missing of these is left out. */
  readonly readable: readonly string[]
  readonly launch: { readonly argv: readonly string[]; readonly env: Readonly<Record<string, string>> }
  readonly terminal: boolean
  /** The port of the session's keeper: inside, the same one leads there. */
  readonly port: number
  /** Where the model is; used where the network is not shared. */
  readonly model?: Model | undefined
  /** Our own programs, as this package has them. */
  readonly programs: {
    readonly node: string
    readonly forward: string
    /** Files and directories that the launch needs besides its own program. */
    readonly more: readonly string[]
  }
}

/** Exactly what a keeper is to launch. */
export type Wrapped = {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly walls: KeptWalls
  /** What was put up, for people's eyes. */
  readonly shown: Walls
  /** What was asked for and cannot be had here, without making the walls weaker. */
  readonly notes: readonly string[]
  /** For a launch that did not come about; otherwise the keeper does it at the end. */
  readonly undo: () => Promise<void>
}

const refuse = (agent: string, { cause, fix }: Trouble): never =>
  fail('sandbox_error', { agent, why: cause, fix })

const builderFor = async (agent: string, limited: boolean, find: typeof findBuilder): Promise<Builder> => {
  const found = await find()
  if (!('path' in found)) return refuse(agent, found)
  return limited ? { ...found, limits: await findLimits() } : found
}

const real = (path: string): Promise<string> => realpath(path)

/** What lies where the agent writes is seen anyway; where a link there leads is the agent's choice, and not followed. */
const outside = (paths: readonly string[], written: readonly string[]): readonly string[] =>
  paths.filter((path) => isAbsolute(path) && !written.some((place) => isWithin(place, path)))

const existing = async (paths: readonly string[]): Promise<readonly Mount[]> => {
  const found = await Promise.all(
    paths.map(async (to): Promise<readonly Mount[]> => {
      // Not every session has every one of them.
      const from = await realpath(to).catch(() => undefined)
      return from === undefined ? [] : [{ from, to, access: 'read' }]
    }),
  )
  return found.flat()
}

/** Who one is, and what this machine is called: the real files name everybody on it. */
const madeUp = async (session: string, home: string, network: Network): Promise<System['files']> => {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  const texts: Record<string, string> = {
    passwd: `agent:x:${uid}:${gid}::${home}:/bin/sh\n`,
    group: `agent:x:${gid}:\n`,
    ...(network === 'full' ? {} : { hosts: '127.0.0.1 localhost agency\n::1 localhost\n' }),
  }
  const folder = join(session, 'walls')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const write = async (name: string): Promise<System['files'][number]> => {
    await writeFile(join(folder, name), texts[name] ?? '', { mode: 0o600 })
    return { from: join(folder, name), to: `/etc/${name}` }
  }
  return Promise.all(Object.keys(texts).map(write))
}

const doorsOf = async (wanted: Wanted, network: Network): Promise<KeptWalls['doors']> => {
  if (network === 'full') return undefined
  const [hooks, relay] = await Promise.all(
    ['hooks.sock', 'relay.sock'].map((name) => socketPath(join(wanted.session, name))),
  )
  const hosts = network === 'proxy' ? (wanted.settings.allowed_hosts ?? []) : []
  return {
    hooks: hooks?.path ?? '',
    relay: {
      socket: relay?.path ?? '',
      hosts: [...hosts],
      ...(wanted.model === undefined ? {} : { model: wanted.model }),
    },
  }
}

const gitOf = (home: string): readonly string[] =>
  ['.gitconfig', '.config/git/config', '.config/git/ignore'].map((name) => join(home, name))

const certificatesOf = (env: Wanted['launch']['env']): readonly string[] =>
  ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'].flatMap((name) => env[name] || [])

const placesOf = async (wanted: Wanted, system: System): Promise<Omit<Places, 'frozen'>> => {
  const { agent, settings, launch, programs } = wanted
  const { read_only_paths: reads = [], read_write_paths: writes = [] } = settings
  const [root = '', home = '', path = ''] = await Promise.all(
    [wanted.root, wanted.home, wanted.tree.path].map(real),
  )
  const tree = { ...wanted.tree, path }
  const trouble = placeTrouble({ root, home, tree })
  if (trouble !== undefined) refuse(agent, trouble)
  const writable = await Promise.all(wanted.writable.map(real))
  const at = { home, tree: path }
  const written = [path, ...writable, ...writes.map((text) => expand(text, at))]
  const resolved = (field: string, paths: readonly string[]): Promise<string[]> =>
    Promise.all(paths.map((text) => rolePath({ agent, field, writable: written }, text, at)))
  const needed = [launch.argv[0] ?? '', programs.node, programs.forward, ...programs.more]
  const files = [...gitOf(home), ...wanted.readable, ...certificatesOf(launch.env)]
  return {
    root,
    home,
    tree,
    writable,
    readable: [
      ...(await programMounts(outside(await locateAll(needed, launch.env), written), system)),
      ...(await existing(outside(files, written))),
    ],
    more: {
      read: await resolved('read_only_paths', reads),
      write: await resolved('read_write_paths', writes),
    },
  }
}

const notesOf = ({ memory_mb }: SandboxFile, { limits }: Builder): readonly string[] =>
  memory_mb === undefined || limits !== undefined
    ? []
    : ['its memory is not limited: there is no systemd user session here']

/** `programs.node` runs the doors; `launch.argv` runs inside, with exactly `launch.env` less what steers loaders. */
export const wrapLaunch = async (wanted: Wanted, find = findBuilder): Promise<Wrapped> => {
  const { agent, settings, launch, terminal, programs } = wanted
  const session = await real(wanted.session)
  const builder = await builderFor(agent, settings.memory_mb !== undefined, find)
  const network = networkOf(settings)
  const found = await readSystem(network === 'full')
  const places = await placesOf(wanted, found)
  const system = { ...found, files: [...found.files, ...(await madeUp(session, places.home, network))] }
  const kept = await doorsOf(wanted, network)
  const doors: readonly Door[] =
    kept === undefined
      ? []
      : [
          { port: wanted.port, socket: kept.hooks },
          { port: egressPort, socket: kept.relay.socket },
        ]
  const undo = (): Promise<void> => thaw(session)
  try {
    const frozen = await freeze({ agent, session, tree: places.tree })
    const walls = wallsOf({ settings, places: { ...places, frozen }, terminal, doors })
    return {
      argv: bubblewrap(
        walls,
        { system, builder },
        { argv: launch.argv, forward: [programs.node, programs.forward] },
      ),
      env: walledEnvironment(launch.env, network),
      // Not the tree: nothing may be found by being near.
      cwd: '/',
      walls: kept === undefined ? {} : { doors: kept },
      shown: walls,
      notes: notesOf(settings, builder),
      undo,
    }
  } catch (error) {
    await undo()
    throw error
  }
}
