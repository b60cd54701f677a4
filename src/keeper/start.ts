// Starts a keeper: a process of its own that goes on when this one is gone.
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface, type Interface } from 'node:readline'
import { failure } from '../base/error/fail.ts'
import { oneLine } from '../base/text/rules.ts'
import { type Keeper, reachKeeper } from './reach.ts'
import { type Opening, protocol, type Report, report } from './schema.ts'

export type Program = readonly [program: string, ...args: string[]]
export type Order = Omit<Opening, 'protocol'>

/** There is one for every agent. Left to itself, Node takes 6 MB more for what is garbage in a moment. */
export const keeperProgram = (script: string): Program => [
  process.execPath,
  '--max-semi-space-size=1',
  script,
]

/** A keeper that runs and knows nothing yet. It goes when whoever made it goes. */
export type Spare = {
  readonly pid: number
  open(opening: Order): Promise<Keeper>
  /** As `open`, but it can be had back: it stays tied to us until it is closed. */
  lend(opening: Order): Promise<Keeper>
  /** Resolves when the keeper that was lent waits again; false = it is gone. */
  back(): Promise<boolean>
  /** It is not needed: one that keeps a session goes when that is released. */
  close(): void
}

const patience = 60_000

/** All a keeper may know of our surroundings: what the child gets comes with its launch, by a private way. */
const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    ['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR'].flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )

/** What it reports, one after another; and why it did not. */
const hear = (child: ChildProcess) => {
  const lines: Interface = createInterface({ input: child.stdout as NodeJS.ReadableStream })
  const reports: Report[] = []
  let problem: string | undefined
  let errors = ''
  let wake = (): void => {}
  const stop = (why: string): void => {
    problem ??= why
    wake()
  }
  lines.on('line', (line) => {
    try {
      reports.push(report.parse(JSON.parse(line)))
      wake()
    } catch {
      stop(`it said ${oneLine(line, 200)}`)
    }
  })
  child.stderr?.on('data', (piece: Buffer) => {
    errors = (errors + piece.toString('utf8')).slice(0, 4_000)
  })
  child.stdin?.on('error', () => {
    // It ended before it was told anything; its exit says why.
  })
  child.once('error', (error) => stop(error.message))
  // Not 'exit': what it said last may still be on its way.
  child.once('close', (code, signal) => stop(errors.trim() || `it ended with ${signal ?? `code ${code}`}`))
  return async (): Promise<Report> => {
    const timer = setTimeout(() => stop(`it said nothing for ${patience / 1000} s`), patience)
    try {
      while (reports.length === 0 && problem === undefined)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      return reports.shift() ?? { failed: problem ?? 'it ended' }
    } finally {
      clearTimeout(timer)
    }
  }
}

/** Cuts what ties it to us. */
const letGo = (child: ChildProcess): void => {
  child.unref()
  for (const stream of child.stdio) stream?.destroy()
}

const failed = (child: ChildProcess, agent: string, why: string): Error => {
  // Not up in time is not up: it must not open later behind our back.
  child.kill('SIGKILL')
  letGo(child)
  return failure('keeper_not_started', { agent, why: oneLine(why, 500) })
}

export const spareKeeper = async ([program, ...args]: Program): Promise<Spare> => {
  const child = spawn(program, args, {
    cwd: '/',
    env: environment(),
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const next = hear(child)
  const first = await next()
  if (!('ready' in first))
    throw failed(child, 'a new agent', 'failed' in first ? first.failed : 'it is confused')
  const lend: Spare['lend'] = async (opening) => {
    child.stdin?.write(`${JSON.stringify({ protocol, ...opening })}\n`)
    const said = await next()
    if (!('opened' in said))
      throw failed(child, opening.agent, 'failed' in said ? said.failed : 'it is confused')
    return reachKeeper({ ...said.opened, directory: opening.directory })
  }
  return {
    pid: child.pid as number,
    close: () => letGo(child),
    lend,
    open: (opening) => lend(opening).finally(() => letGo(child)),
    back: async () => 'ready' in (await next()),
  }
}

/**
 * The keeper is up with its port and socket, and has no child yet: the port is needed for the launch itself
 * (`keeper.found.port`), which follows by `keeper.launch`.
 */
export const startKeeper = async ({
  program,
  opening,
}: {
  program: Program
  opening: Order
}): Promise<Keeper> => (await spareKeeper(program)).open(opening)
