// The child of a keeper from its launch to the last process it left:
//   opened → running → ending → ended → running …
import { rm } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { fail } from '../base/error/fail.ts'
import { writeFleeting } from '../base/file/write.ts'
import type { Log } from '../base/log/open.ts'
import type { Identity } from '../base/process/identity.ts'
import type { Mask } from '../base/secret/rules.ts'
import { type Child, type Ended, startChild } from './child.ts'
import type { Doors } from './doors.ts'
import { placesOf } from './find.ts'
import type { Guard } from './guard.ts'
import { cookieName, members } from './members.ts'
import type { Pipes } from './pipe.ts'
import type { Exit, Launch, Size, Status, Stream } from './schema.ts'
import { sweep } from './sweep.ts'
import { openTerminal, type Put, type Terminal } from './terminal.ts'

/** For the last output to arrive, should something that cannot be killed hold its pipe. */
const lastWords = 5_000

export type Surroundings = {
  readonly cookie: string
  /** Of the terminal; null = headless. */
  readonly size: Size | null
  /** Of the session. */
  readonly directory: string
  readonly guard: Guard
  /** For a headless child. */
  readonly pipes: () => Promise<Pipes>
  readonly doors: Doors
  readonly log: Log
  /** For what is told of its processes. */
  readonly mask: Mask
  readonly printed: (stream: Stream, bytes: Buffer) => void
  readonly ended: (exit: Exit) => void
}

export type Life = {
  readonly state: () => Status['state']
  readonly launches: () => number
  readonly child: () => Identity | null
  readonly size: () => Size | null
  readonly exit: () => Exit | null
  launch(order: Launch): Promise<Identity>
  input(bytes: Uint8Array): Promise<void>
  /** As `turn` of the terminal. */
  turn<T>(length: number, use: (put: Put) => Promise<T>): Promise<T>
  resize(size: Size): void
  /** To the child's whole process group; through walls, to everybody inside. */
  signal(name: NodeJS.Signals): void
  /** TERM, grace, KILL, then everything it left. Asked again, the shorter grace counts. */
  end(grace: number): Promise<Exit | null>
}

const refuse = (why: string): never => fail('keeper_state', { why })

export const openLife = ({
  cookie,
  size: first,
  directory,
  guard,
  pipes,
  doors,
  log,
  mask,
  printed,
  ended,
}: Surroundings): Life => {
  const { exit: exitFile } = placesOf(directory)
  let state: Status['state'] = 'opened'
  let launches = 0
  let size = first
  let environment: Readonly<Record<string, string>> | undefined
  let child: Child | undefined
  let terminal: Terminal | undefined
  let launching: Promise<unknown> | undefined
  let concluded: Promise<Exit> | undefined
  let exit: Exit | null = null
  let known: readonly Identity[] = []
  let asked = false
  let forced = false
  let walled = false

  const belonging = () => ({ cookie, except: [process.pid, guard.pid()] })

  const record = async (facts: Exit): Promise<void> => {
    exit = facts
    await writeFleeting(exitFile, `${JSON.stringify(facts)}\n`).catch((error: Error) => {
      // The clients are still told; only a host that comes later will not know.
      log.error('the exit could not be recorded', { why: error.message, ...facts })
    })
  }

  const conclude = async ({ pid, spent }: Child, { code, signal }: Ended): Promise<Exit> => {
    // At once: the group's number is free for others from now on.
    const left = members({ ...belonging(), group: pid, known })
    state = 'ending'
    terminal?.drain()
    const facts = { launch: launches, code, signal, at: new Date().toISOString(), asked, forced }
    // While the rest is ended, a keeper that is killed leaves at least this.
    if (left.length > 0) await record({ ...facts, left: null })
    const survivors = await sweep(left, belonging())
    terminal?.drain()
    terminal?.close()
    await Promise.race([spent, wait(lastWords, undefined, { ref: false })])
    await guard.watch(undefined)
    await doors.close().catch((error: Error) => log.error('walls left something', { why: error.message }))
    const whole = { ...facts, left: survivors.map((one) => ({ ...one, command: mask(one.command) })) }
    await record(whole)
    log.info('the child has ended', whole)
    state = 'ended'
    child = undefined
    terminal = undefined
    ended(whole)
    return whole
  }

  const begin = async (order: Launch): Promise<Child> => {
    environment = order.env ?? environment ?? refuse('no environment is known yet')
    const term = size === null ? {} : { TERM: environment.TERM ?? 'xterm-256color' }
    terminal = size === null ? undefined : openTerminal(size, (bytes) => printed('terminal', bytes))
    return startChild({
      launch: order,
      env: { ...environment, ...term, [cookieName]: cookie },
      terminal,
      pipes,
      output: printed,
      reachable: doors.passed(),
      announce: (pid) => guard.watch(pid),
    })
  }

  const attempt = async (order: Launch, before: Status['state']): Promise<Identity> => {
    try {
      // Of the launch before: should this keeper be killed, nobody shall take it for the end of this one.
      await rm(exitFile, { force: true })
      await doors.open(order.walls)
      child = await begin(order)
    } catch (error) {
      state = before
      await doors.close()
      terminal?.close()
      terminal = undefined
      throw error
    }
    launches += 1
    asked = false
    forced = false
    walled = order.walls !== undefined
    known = []
    const { pid, started } = child
    log.info('launched', { pid, launch: launches, program: order.argv[0] })
    const living = child
    concluded = living.ended.then((how) => conclude(living, how))
    return { pid, started }
  }

  const launch = async (order: Launch): Promise<Identity> => {
    if (state === 'running' || state === 'ending') refuse('the session already runs')
    const attempted = attempt(order, state)
    state = 'running'
    // Its failure is heard by whoever asked for it; `end` only waits until it is decided.
    launching = attempted.catch(() => {})
    return attempted
  }

  const signal = (name: NodeJS.Signals): void => {
    const { pid } = (state === 'running' ? child : undefined) ?? refuse('nothing runs')
    // Walls that heard it would fall at once, and take down everything inside before it could end by itself.
    const inside = walled && name !== 'SIGKILL'
    const whom = inside ? members({ ...belonging(), group: pid }).map((one) => one.pid) : [-pid]
    for (const one of whom.filter((each) => each !== pid)) {
      try {
        process.kill(one, name)
      } catch (error) {
        // It ended just now.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
      }
    }
  }

  const terminate = async (living: Child, grace: number): Promise<void> => {
    asked = true
    // Who leaves group and environment behind is still a descendant now, and no longer when its parent is gone.
    known = members({ ...belonging(), group: living.pid, known })
    signal('SIGTERM')
    // One that was stopped does not hear it otherwise.
    signal('SIGCONT')
    const over = new AbortController()
    // Called off below, when the grace was not needed.
    await Promise.race([living.ended, wait(grace, undefined, { signal: over.signal }).catch(() => {})])
    over.abort()
    if (state !== 'running' || child !== living) return
    forced = true
    signal('SIGKILL')
  }

  const open = (): Terminal => terminal ?? refuse('no terminal is open')

  return {
    state: () => state,
    launches: () => launches,
    child: () => (child === undefined ? null : { pid: child.pid, started: child.started }),
    size: () => size,
    exit: () => exit,
    launch,
    input: async (bytes) => open().write(bytes),
    turn: async (length, use) => open().turn(length, use),
    resize: (next) => {
      if (size === null) refuse('it has no terminal')
      size = next
      terminal?.resize(next)
    },
    signal,
    end: async (grace) => {
      await launching
      if (child !== undefined && state === 'running') await terminate(child, grace)
      return (await concluded) ?? null
    },
  }
}
