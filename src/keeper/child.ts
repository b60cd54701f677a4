// Starts the child of a session in a process group (and session) of its own, and tells how it ended.
import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { access, open, stat } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import type { Writable } from 'node:stream'
import { fail } from '../base/error/fail.ts'
import { type Identity, identify } from '../base/process/identity.ts'
import type { Pipes } from './pipe.ts'
import type { Launch, Stream } from './schema.ts'
import type { Terminal } from './terminal.ts'

export type Ended = { readonly code: number | null; readonly signal: string | null }
export type Child = Identity & {
  readonly ended: Promise<Ended>
  /** For a headless child: resolves when all it printed has arrived. */
  readonly spent: Promise<unknown>
}

/** It waits for its word: until its guard knows it, it is nothing but a shell that ends with the keeper. */
const wait = 'read -r word <&3 || exit 70; exec 3<&-; exec "$@"'
// Opening it makes it the controlling terminal, because the shell leads a session that has none.
const inTerminal = `exec 0<>"$1" 1>&0 2>&0; shift; ${wait}`

const reason = (error: unknown): string => {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'it does not exist'
  if (code === 'E2BIG') return 'its arguments and environment are too large'
  return code === 'EACCES' ? 'it may not be used by you' : `the system says ${code}`
}

const isProgram = async (file: string): Promise<boolean> => {
  await access(file, constants.X_OK)
  return (await stat(file)).isFile()
}

/** Looked for beforehand, because a shell that cannot find it looks like a program that ended with 127. */
const check = async ({ argv: [program = ''], cwd }: Launch, path: string): Promise<void> => {
  const directory = await stat(cwd).catch((error) =>
    fail('directory_missing', { directory: cwd, why: reason(error) }),
  )
  if (!directory.isDirectory()) fail('directory_missing', { directory: cwd, why: 'it is no directory' })
  const places = program.includes('/')
    ? [program.startsWith('/') ? program : join(cwd, program)]
    : path.split(delimiter).map((place) => join(place === '' ? cwd : place, program))
  let why = 'it is on no directory of PATH'
  for (const place of places) {
    try {
      if (await isProgram(place)) return
    } catch (error) {
      if (program.includes('/')) why = reason(error)
    }
  }
  fail('program_missing', { program, why })
}

export type Start = {
  readonly launch: Launch
  readonly env: Readonly<Record<string, string>>
  /** Absent = headless. */
  readonly terminal?: Terminal | undefined
  /** For a headless one. */
  readonly pipes: () => Promise<Pipes>
  readonly output: (stream: Stream, bytes: Buffer) => void
  /** When its hooks can reach us: until then its input does not end, and it does not begin to work. */
  readonly reachable: Promise<void>
  /** Told the pid while it still waits; the program runs when this has resolved. */
  readonly announce: (pid: number) => Promise<void>
}

type Stdio = (number | 'ignore' | 'pipe')[]
type Begun = {
  readonly child: ChildProcess
  readonly up: Promise<void>
  readonly ended: Promise<Ended>
  readonly spent: Promise<unknown>
}

/** Listens from the first moment: an event that nobody heard does not come again. */
const begun = (child: ChildProcess, spent: Promise<unknown>): Begun => {
  const up = new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', reject)
  })
  // Looked at by `startChild`, but perhaps only after it has failed.
  up.catch(() => {})
  const ended = new Promise<Ended>((resolve) =>
    child.once('exit', (code, signal) => resolve({ code, signal })),
  )
  return { child, up, ended, spent }
}

const options = ({ launch, env }: Start) => ({ cwd: launch.cwd, env: { ...env }, detached: true })

const beginTerminal = async (start: Start, { inherited, path }: Terminal): Promise<Begun> => {
  const nothing = await open('/dev/null', 'r')
  try {
    const stdio: Stdio = Array.from({ length: inherited + 1 }, () => 'ignore')
    stdio[3] = 'pipe'
    // The other side of its own terminal would let the child read what is typed, and outlive a hang-up.
    stdio[inherited] = nothing.fd
    const args = ['-c', inTerminal, 'sh', path, ...start.launch.argv]
    return begun(spawn('/bin/sh', args, { ...options(start), stdio }), Promise.resolve())
  } finally {
    await nothing.close()
  }
}

const beginHeadless = async (start: Start): Promise<Begun> => {
  const { launch, output } = start
  const { stdout, stderr } = await start.pipes()
  const spent = Promise.all([
    stdout.read((bytes) => output('stdout', bytes)),
    stderr.read((bytes) => output('stderr', bytes)),
  ])
  try {
    const stdio: Stdio = ['pipe', stdout.writer, stderr.writer, 'pipe']
    const child = spawn('/bin/sh', ['-c', wait, 'sh', ...launch.argv], { ...options(start), stdio })
    // A child that does not read its input breaks the pipe; its own end says what is to be said.
    child.stdin?.on('error', () => {})
    // At once, because a CLI that hears nothing for some seconds goes on without.
    child.stdin?.write(launch.stdin ?? '')
    void start.reachable.then(() => child.stdin?.end())
    return begun(child, spent)
  } finally {
    stdout.closeWriter()
    stderr.closeWriter()
  }
}

export const startChild = async (start: Start): Promise<Child> => {
  const { launch, terminal, announce } = start
  await check(launch, start.env.PATH ?? '')
  const refuse = (error: unknown): never =>
    fail('program_missing', { program: launch.argv[0] ?? '', why: reason(error), cause: error })
  const begin = terminal ? beginTerminal(start, terminal) : beginHeadless(start)
  const { child, up, ended, spent } = await begin.catch(refuse)
  await up.catch(refuse)
  const pid = child.pid as number
  const self = identify(pid)
  await announce(pid)
  const word = child.stdio[3] as Writable
  // It was killed before it began; its exit says so.
  word.on('error', () => {})
  word.end('go\n')
  return { pid, started: self?.started ?? 'gone', ended, spent }
}
