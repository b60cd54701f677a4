// A world with things to steal and to break, walls in the middle of it, and whoever tries to get out of them.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { beforeAll, expect, onTestFinished } from 'vitest'
import type { SandboxFile } from '../../src/role/sandbox/schema.ts'
import { lookForBuilder } from '../../src/sandbox/find.ts'
import { openRelay } from '../../src/sandbox/relay/open.ts'
import type { Model } from '../../src/sandbox/relay/schema.ts'
import { type Wanted, type Wrapped, wrapLaunch } from '../../src/sandbox/wrap.ts'

/** These tests prove nothing without it, so its absence is a failure. */
export const needWalls = (): void =>
  beforeAll(async () => {
    const found = await lookForBuilder()
    if (!('path' in found)) throw new Error(`no sandbox can be made here: ${found.cause}. ${found.fix}`)
  })

export const patience = { timeout: 60_000, interval: 50 }

/** Whoever runs the tests; and, where that is root, an ordinary user too. */
export const users: readonly string[] = process.getuid?.() === 0 ? ['root', 'nobody'] : ['yourself']
const nobody = 65_534
const lowered = ['--reuid', `${nobody}`, '--regid', `${nobody}`, '--clear-groups', '--inh-caps', '-all']

export const secret = 'CANARY-5d41402abc4b2a76b9719d911017c592'

export type Ground = {
  readonly user: string
  readonly folder: string
  readonly root: string
  readonly home: string
  readonly tree: string
  readonly session: string
  readonly git: (...args: string[]) => string
}

const give = (folder: string): void => void execFileSync('chown', ['-R', `${nobody}:${nobody}`, folder])

export const ground = (user = users[0] ?? ''): Ground => {
  const folder = mkdtempSync(join(tmpdir(), 'agency-walls-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  const at = (path: string): string => join(folder, path)
  const [root, home, tree, session] = [at('root'), at('home'), at('home/project'), at('root/sessions/coder')]
  for (const each of [
    `${session}/.claude`,
    `${session}/tmp`,
    `${root}/sessions/other/.claude`,
    `${root}/credentials`,
  ])
    mkdirSync(each, { recursive: true })
  for (const each of [`${home}/.ssh`, tree]) mkdirSync(each, { recursive: true })
  for (const file of [
    `${home}/.ssh/id_ed25519`,
    `${root}/credentials/claude-token`,
    `${root}/token`,
    `${root}/sessions/other/.claude/.credentials.json`,
    `${root}/sessions/coder/keeper.json`,
    at('outside'),
  ])
    writeFileSync(file, secret)
  const git = (...args: string[]): string =>
    execFileSync(
      'git',
      ['-C', tree, '-c', 'safe.directory=*', '-c', 'user.name=a', '-c', 'user.email=a@b', ...args],
      {
        encoding: 'utf8',
        env: { PATH: process.env.PATH, HOME: home },
      },
    )
  git('init', '-q', '-b', 'main')
  writeFileSync(join(tree, 'kept.txt'), 'kept\n')
  git('add', '.')
  git('commit', '-q', '-m', 'Begin')
  copyFileSync(resolve('dist/forward.cjs'), at('forward.cjs'))
  if (user === 'nobody') give(folder)
  return { user, folder, root, home, tree, session, git }
}

/** What lies outside is as it was. */
export const untouched = ({ folder, home, root }: Ground): void => {
  for (const path of [
    join(folder, 'outside'),
    join(home, '.ssh/id_ed25519'),
    join(root, 'token'),
    join(root, 'credentials/claude-token'),
  ])
    expect([path, readFileSync(path, 'utf8')]).toEqual([path, secret])
}

export type Options = {
  readonly settings?: SandboxFile
  readonly tree?: Partial<Wanted['tree']>
  readonly env?: Readonly<Record<string, string>>
  readonly model?: Model
  readonly terminal?: boolean
  readonly port?: number
  readonly more?: readonly string[]
}

export const wanted = (at: Ground, argv: readonly string[], options: Options = {}): Wanted => ({
  agent: 'coder',
  settings: options.settings ?? { network: 'none' },
  root: at.root,
  home: at.home,
  tree: { path: at.tree, access: 'write', kind: 'theirs', ...options.tree },
  session: at.session,
  writable: [join(at.session, '.claude'), join(at.session, 'tmp')],
  readable: [],
  launch: { argv, env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: at.home, ...options.env } },
  terminal: options.terminal ?? false,
  port: options.port ?? 40_000,
  model: options.model,
  programs: { node: process.execPath, forward: join(at.folder, 'forward.cjs'), more: options.more ?? [] },
})

export const wrap = async (at: Ground, argv: readonly string[], options: Options = {}): Promise<Wrapped> => {
  const wrapped = await wrapLaunch(wanted(at, argv, options))
  onTestFinished(wrapped.undo)
  // Whoever made it is root here; in real life it is the user itself.
  if (at.user === 'nobody') give(at.folder)
  return wrapped
}

/** Stands where the keeper would: opens the doors, and tells when somebody has come. */
const openDoors = async (
  at: Ground,
  { walls }: Wrapped,
  hooks: (line: string) => string,
): Promise<Promise<unknown>[]> => {
  if (walls.doors === undefined) return []
  for (const socket of [walls.doors.hooks, walls.doors.relay.socket]) rmSync(socket, { force: true })
  const server: Server = createServer((client) => {
    client.on('error', () => client.destroy())
    client.once('data', (bytes) => client.end(hooks(bytes.toString())))
  })
  server.listen(walls.doors.hooks)
  await once(server, 'listening')
  const passed = [once(server, 'connection')]
  onTestFinished(() => void server.close())
  const relay = await openRelay(walls.doors.relay)
  onTestFinished(relay.close)
  if (at.user !== 'nobody') return passed
  for (const socket of [walls.doors.hooks, walls.doors.relay.socket]) chownSync(socket, nobody, nobody)
  return passed
}

/** As the user of this ground would start it. */
export const argvOf = ({ user }: Ground, argv: readonly string[]): readonly string[] =>
  user === 'nobody' ? ['/usr/bin/setpriv', ...lowered, ...argv] : argv

export const launch = async (
  at: Ground,
  wrapped: Wrapped,
  hooks = (line: string) => line,
): Promise<ChildProcess> => {
  const passed = await openDoors(at, wrapped, hooks)
  const [program = '', ...args] = argvOf(at, wrapped.argv)
  const child = spawn(program, args, {
    cwd: wrapped.cwd,
    env: { ...wrapped.env },
    detached: true,
    stdio: 'pipe',
  })
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
  })
  void Promise.all(passed).then(() => child.stdin.end())
  return child
}

export type Seen = { readonly code: number | null; readonly out: string; readonly err: string }

export const seen = async (child: ChildProcess): Promise<Seen> => {
  let [out, err] = ['', '']
  child.stdout?.on('data', (bytes) => {
    out += bytes
  })
  child.stderr?.on('data', (bytes) => {
    err += bytes
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, out, err }
}

/** A shell script that begins when its input has ended, as every headless program does. */
export const shell = (script: string): readonly string[] => ['/bin/sh', '-c', `cat >/dev/null; ${script}`]
export const node = (script: string): readonly string[] => [
  process.execPath,
  '-e',
  `require('node:fs').readFileSync(0); ${script}`,
]

/** Runs a shell script inside, to its end. */
export const inside = async (at: Ground, script: string, options: Options = {}): Promise<Seen> =>
  seen(await launch(at, await wrap(at, shell(script), options)))

/** Runs JavaScript inside. */
export const inNode = async (at: Ground, script: string, options: Options = {}): Promise<Seen> =>
  seen(await launch(at, await wrap(at, node(script), options)))

export const has = (program: string): boolean =>
  ['/usr/bin', '/bin', '/usr/local/bin'].some((place) => existsSync(join(place, program)))
