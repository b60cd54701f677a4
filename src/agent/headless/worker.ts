// The tasks of a headless agent: one at a time, each in attempts. What it does follows from what is stored, so a host
// that comes later goes on where this one was.
import { setTimeout as wait } from 'node:timers/promises'
import { fail, failure } from '../../base/error/fail.ts'
import type { Log } from '../../base/log/open.ts'
import { activity } from '../../journal/rules.ts'
import type { Fact } from '../../journal/schema.ts'
import type { Spares } from '../../keeper/spare.ts'
import type { ComponentState } from '../../registry/schema.ts'
import type { Role } from '../../role/schema.ts'
import type { Environment } from '../../session/plan/schema.ts'
import type { Programs } from '../../session/programs.ts'
import type { Store } from '../../store/store.ts'
import {
  begin,
  deadline,
  goOn,
  hasBegun,
  isOpen,
  limitedUntil,
  lose,
  refuse,
  settle,
  wish,
} from '../../task/attempt/rules.ts'
import type { Book } from '../../task/book.ts'
import { attemptDirectory, configOf } from '../../task/plan/rules.ts'
import type { Task } from '../../task/schema.ts'
import { askedIn } from '../asked.ts'
import { sizeOf } from '../enter.ts'
import type { AgentFile } from '../schema.ts'
import { type Attempt, type AttemptOptions, beginAttempt, type Came, meetAttempt } from './attempt.ts'
import type { Ear } from './ear.ts'
import { clearAttempts } from './leftovers.ts'
import { makePlace, placeOf } from './place.ts'
import { credentialsOf, type Found, programFor, roleFor } from './prepare.ts'
import { startError } from './start.ts'

/** What is kept of tasks beside the journal. */
export type Archive = {
  keepPrompt(task: string, number: number, text: string): Promise<void>
  readPrompt(task: string, number: number): Promise<string | undefined>
  /** What an attempt printed, before its directory goes. */
  keepOutput(task: string, attempt: number, directory: string): Promise<void>
}

export type WorkerOptions = {
  readonly root: string
  readonly agent: string
  readonly file: () => AgentFile
  /** The host's unix socket. */
  readonly host: string
  readonly programs: Pick<Programs, 'hook' | 'scripted'>
  readonly spares: () => Spares
  readonly env: Environment
  readonly instructions: () => Promise<string>
  readonly store: Store
  readonly book: Book
  readonly archive: Archive
  readonly record: (...facts: readonly Fact[]) => void
  readonly written: () => Promise<boolean>
  readonly now: () => number
  readonly report: (state: ComponentState, message?: string) => void
  readonly reportMs?: number
  readonly log: Log
}

export type Worker = {
  /** Resolves when what another host began is known again. */
  start(): Promise<void>
  current(): Task | undefined
  find(id: string): Task
  program(): Promise<Found>
  /** One that is stored is to be done. `env` is kept in memory alone. */
  take(task: Task, env?: Environment): void
  /** Stores what becomes of a task; resolves when that is on the disk. */
  change(id: string, rule: (task: Task) => Task): Promise<Task>
  progress(id: string): ReturnType<Ear['progress']> | undefined
  /** Who answers the hooks of this session. */
  voice(session: string): Pick<Ear, 'hooks' | 'telemetry'> | undefined
  finish(how: { readonly hurry: AbortSignal; readonly leave: boolean }): Promise<void>
}

type Running = { readonly id: string; session: string; attempt?: Attempt; readonly over: Promise<void> }

const grace = 10_000
const reportMs = 60_000
/** Between two facts about its progress. */
const progressMs = 500
/** Longer, and a timer overflows and fires at once. */
const longest = 2 ** 30
/** Until a disk that is full is tried again. */
const again = 5_000

const iso = (at: number): string => new Date(at).toISOString()
const isCame = (found: Attempt | Came): found is Came => !('ear' in found)

export const workerOf = (options: WorkerOptions): Worker => {
  const { root, agent, book, store, now, log, record, written, archive } = options
  const envs = new Map<string, Environment>()
  let running: Running | undefined
  let found: { readonly type: Role['agent_type']; readonly program: Promise<Found> } | undefined
  let timer: NodeJS.Timeout | undefined
  let told = Number.NEGATIVE_INFINITY
  let [left, draining] = [false, false]

  const find = (id: string): Task =>
    book.find(agent, id) ??
    fail('not_found', { what: `task "${id}" of "${agent}"`, see: `Ask for /agents/${agent}/history.` })
  const current = (): Task | undefined => book.of(agent).find(isOpen)

  /** undefined = it is not on the disk, and counts as not done. */
  const change: Worker['change'] = async (id, rule) => {
    const before = find(id)
    const after = rule(before)
    if (after !== before) {
      book.change(after)
      log.info(
        `${id}: ${after.state}`,
        after.error && { error: after.error.type, reason: after.error.message },
      )
    }
    if (!(await written())) throw failure('not_stored', { what: id })
    look()
    return after
  }

  const program = async (): Promise<Found> => {
    const role = await roleFor(root, options.file())
    if (found?.type === role.agent_type) return found.program
    const program = programFor(role, { env: options.env, scripted: options.programs.scripted })
    found = { type: role.agent_type, program }
    // One that was not found may have been installed meanwhile.
    program.catch(() => {
      found = undefined
    })
    return program
  }

  const earFor = async (
    task: Task,
    directory: string,
    cwd: string,
    met: boolean,
  ): Promise<AttemptOptions> => {
    const { driver } = await program()
    const asked = met ? await askedIn(store, task.session) : undefined
    return {
      agent,
      session: task.session,
      driver,
      directory,
      tree: cwd,
      reportMs: options.reportMs ?? reportMs,
      ...(asked === undefined ? {} : { asked }),
      now,
      record,
      append: (facts) => store.append(facts),
      written,
      log,
      moved: () => tell(task.id),
    }
  }

  const tell = (id: string): void => {
    const at = now()
    if (at - told < progressMs || running?.attempt === undefined) return
    told = at
    record(activity('task.progress', id, { ...running.attempt.ear.progress() }))
  }

  const transcriptOf = async (task: Task, cwd: string): Promise<string> =>
    (await program()).driver.transcriptPath(configOf(root, agent), cwd, task.session)

  const launch = async (task: Task, mine: Running): Promise<Attempt | undefined> => {
    const file = options.file()
    const role = await roleFor(root, file)
    const { program: path } = await program()
    const place = { root, agent, file, role, session: task.session }
    const cwd = await makePlace(place, task.attempt === undefined && task.total === undefined)
    const transcript = await transcriptOf(task, cwd)
    const offset = await sizeOf(transcript)
    const prompt = hasBegun(task, offset) ? goOn : await archive.readPrompt(task.id, task.prompts ?? 1)
    if (prompt === undefined) return fail('internal', { what: `the prompt of ${task.id} is gone` })
    const begun = await change(task.id, (one) => (one.wish === undefined ? begin(one, offset, now()) : one))
    if (begun.state !== 'working' || begun.attempt === undefined) return undefined
    const directory = attemptDirectory(root, agent, task.id, begun.attempt)
    const env = envs.get(task.id)
    const starting = {
      facts: {
        root,
        agent,
        pod: file.pod,
        role,
        maxTurns: file.claude.max_turns,
        uid: process.getuid?.() ?? -1,
        env: options.env,
        credentials: await credentialsOf(root, role),
        sandbox: { available: false, why: 'this version of agency cannot make one yet' },
        program: path,
        start: { kind: offset > 0 ? ('resume' as const) : ('new' as const), id: task.session },
        cwd,
        prompt,
        instructions: await options.instructions(),
        model: task.asked?.model,
        taskEnv: env,
        scenario: role.command[0] ?? options.env.AGENCY_SCENARIO,
      },
      spares: options.spares(),
      hook: options.programs.hook,
      host: options.host,
    }
    const ear = await earFor(task, directory, cwd, false)
    const attempt = await beginAttempt(ear, starting, (early) => {
      mine.attempt = early
    })
    // Wished away while it started.
    if (find(task.id).wish !== undefined) attempt.stop(grace)
    return attempt
  }

  const conclude = async (id: string, came: Came): Promise<void> => {
    if (!('lost' in came)) {
      const { ending, left: survivors } = came
      for (const { pid, command } of survivors ?? [])
        log.error(`${id} has left a process that nothing could end`, { pid, command })
      await change(id, (task) => settle(task, ending, { at: now(), iso }))
      return
    }
    const task = find(id)
    const file = options.file()
    const cwd = placeOf({ root, agent, file, role: await roleFor(root, file), session: task.session })
    const size = await sizeOf(await transcriptOf(task, cwd))
    const transcript = size > (task.attempt?.offset ?? 0)
    const traces = { transcript, env: envs.has(id), why: came.lost }
    await change(id, (one) => lose(one, traces, now()))
  }

  const store_ = async (id: string, work: () => Promise<void>): Promise<void> => {
    for (;;)
      try {
        return await work()
      } catch (error) {
        if (left) return
        log.error(`what became of ${id} could not be stored yet`, { reason: (error as Error).message })
        await wait(again, undefined, { ref: false })
      }
  }

  /** From its start to what it came to; the agent is busy meanwhile. */
  const run = async (task: Task, mine: Running, met?: Attempt | Came): Promise<void> => {
    let attempt = met !== undefined && !isCame(met) ? met : undefined
    if (met === undefined) {
      try {
        attempt = await launch(task, mine)
      } catch (error) {
        const why = startError(error)
        await store_(task.id, async () => void (await change(task.id, (one) => refuse(one, why, now()))))
        return
      }
      if (attempt === undefined) return
    }
    mine.attempt = attempt as Attempt
    const came = met !== undefined && isCame(met) ? met : await (attempt as Attempt).came
    if (left) return
    const { number } = find(task.id).attempt ?? { number: 1 }
    const directory = attemptDirectory(root, agent, task.id, { number })
    await archive
      .keepOutput(task.id, number, directory)
      .catch((error: Error) => log.warn(`what ${task.id} printed is not kept`, { reason: error.message }))
    await store_(task.id, () => conclude(task.id, came))
    // The agent is free already; only the keeper still has to go.
    void attempt?.done().catch((error: Error) => log.warn('an attempt left files', { reason: error.message }))
  }

  const occupy = (task: Task, met?: Attempt | Came): void => {
    let free = (): void => {}
    const over = new Promise<void>((resolve) => {
      free = resolve
    })
    const mine: Running = { id: task.id, session: task.session, over }
    running = mine
    options.report('working')
    void run(task, mine, met)
      .catch((error: Error) => log.error(`${task.id} could not be followed`, { stack: error.stack }))
      .then(() => {
        running = undefined
        free()
        look()
      })
  }

  const lookAt = (at: number): void => {
    clearTimeout(timer)
    timer = setTimeout(look, Math.min(Math.max(at - now(), 0), longest)).unref()
  }

  const expire = (task: Task): void => {
    void change(task.id, (one) => wish(one, 'timeout', now())).catch((error: Error) =>
      log.error('a task that is too late could not be stopped yet', { reason: error.message }),
    )
  }

  const rest = (): void => {
    const until = draining ? undefined : limitedUntil(book.of(agent), iso(now()))
    if (until === undefined) options.report(draining ? 'draining' : 'idle')
    else {
      options.report('limited', `until ${until}`)
      lookAt(Date.parse(until))
    }
  }

  /** What is to be done now, and when to look again. */
  const look = (): void => {
    if (left) return
    const task = current()
    if (task === undefined) {
      if (running === undefined) rest()
      return
    }
    const late = deadline(task)
    if (late !== undefined && now() >= late) {
      expire(task)
      return
    }
    if (task.wish !== undefined) running?.attempt?.stop(grace)
    const next = task.state === 'queued' ? task.retryAt : undefined
    if (next !== undefined && now() < next) {
      options.report('limited', `${task.id} is tried again at ${iso(next)}`)
      lookAt(Math.min(next, late ?? next))
      return
    }
    if (late !== undefined) lookAt(late)
    if (running === undefined && task.state === 'queued' && !draining) occupy(task)
  }

  const meet = async (task: Task): Promise<void> => {
    if (task.state === 'queued') {
      // Whoever had its env is gone.
      if (task.asked?.env && task.attempt === undefined)
        await change(task.id, (one) => lose(one, { transcript: false, env: false, why: '' }, now()))
      return
    }
    const file = options.file()
    const role = await roleFor(root, file)
    const cwd = placeOf({ root, agent, file, role, session: task.session })
    const directory = attemptDirectory(root, agent, task.id, task.attempt ?? { number: 1 })
    occupy(task, await meetAttempt(await earFor(task, directory, cwd, true)))
  }

  return {
    program,
    start: async () => {
      const open = current()
      const kept = open?.attempt && attemptDirectory(root, agent, open.id, open.attempt)
      if (open !== undefined) await meet(open)
      look()
      // Nobody waits for it.
      void clearAttempts(root, agent, kept, log)
    },
    current,
    find,
    take: (task, env) => {
      if (env !== undefined) envs.set(task.id, env)
      look()
    },
    change,
    progress: (id) => (running?.id === id ? running.attempt?.ear.progress() : undefined),
    voice: (session) => (running?.session === session ? running.attempt?.ear : undefined),
    finish: async ({ hurry, leave }) => {
      draining = true
      clearTimeout(timer)
      if (leave) {
        left = true
        running?.attempt?.leave()
        return
      }
      const stop = (): void => running?.attempt?.stop(1_000)
      if (hurry.aborted) stop()
      hurry.addEventListener('abort', stop, { once: true })
      await running?.over
    },
  }
}
