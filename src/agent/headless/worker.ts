// The tasks of a headless agent: one at a time, each in attempts. What it does follows from what is stored, so a host
// that comes later goes on where this one was.
import { rm } from 'node:fs/promises'
import { fail, failure } from '../../base/error/fail.ts'
import type { Meter } from '../../budget/meter.ts'
import { usedUp } from '../../budget/told/rules.ts'
import { activity } from '../../journal/rules.ts'
import type { Role } from '../../role/schema.ts'
import { deadline, isOpen, limitedUntil, lose, refuse, settle, wish } from '../../task/attempt/rules.ts'
import { keepOutput } from '../../task/history/keep.ts'
import { attemptDirectory, configOf } from '../../task/plan/rules.ts'
import type { Task } from '../../task/schema.ts'
import { toldIn } from '../asked.ts'
import { sizeOf } from '../enter.ts'
import type { WorkerOptions } from './around.ts'
import { type Attempt, type Came, meetAttempt } from './attempt.ts'
import type { Ear } from './ear.ts'
import { again, insistOn } from './insist.ts'
import { launch, type Private } from './launch.ts'
import { clearAttempts } from './leftovers.ts'
import { listenerOf, reviewedOf } from './listen.ts'
import { placeOf, takeWork } from './place.ts'
import { type Found, programsOf, roleFor } from './prepare.ts'
import { questionsOf } from './question.ts'
import { taskReviewsOf } from './review.ts'
import { payFor, spendingOf } from './spending.ts'
import { isKeepers, startError } from './start.ts'

export type { WorkerOptions } from './around.ts'

export type Worker = {
  /** Resolves when what another host began is known again. */
  start(): Promise<void>
  current(): Task | undefined
  find(id: string): Promise<Task>
  program(): Promise<Found>
  /** One that is stored is to be done. What is private is kept in memory alone. */
  take(task: Task, secret?: Private): void
  /** Stores what becomes of a task; resolves when that is on the disk. */
  change(id: string, rule: (task: Task) => Task): Promise<Task>
  progress(id: string): ReturnType<Ear['progress']> | undefined
  /** It has used all that it may. */
  isSpent(): boolean
  /** Where the attempt that runs is, and what number it has. */
  running(id: string): { readonly number: number; readonly session: string } | undefined
  /** Who answers the hooks of this session. */
  voice(session: string): Pick<Ear, 'hooks' | 'telemetry'> | undefined
  finish(how: { readonly hurry: AbortSignal; readonly leave: boolean }): Promise<void>
}

type Running = {
  readonly id: string
  session: string
  readonly over: Promise<void>
  meter: Meter
  attempt?: Attempt
  /** It has ended, and that is being stored. */
  came?: true
  /** As it was when the attempt began; absent where another host began it. */
  role?: Role
}

const grace = 10_000
/** One whose budget is used up ends by itself at its next call; later it is ended. */
const spentMs = 3_000
/** Between two facts about its progress. */
const progressMs = 500
/** Longer, and a timer overflows and fires at once. */
const longest = 2 ** 30

const iso = (at: number): string => new Date(at).toISOString()
const isCame = (found: Attempt | Came): found is Came => !('ear' in found)

export const workerOf = (options: WorkerOptions): Worker => {
  const { root, agent, book, store, now, log, record, written, approvals, budgets } = options
  const privates = new Map<string, Private>()
  let running: Running | undefined
  let timer: NodeJS.Timeout | undefined
  let told = 0
  let [left, draining] = [false, false]

  const questions = questionsOf({ ...options, session: () => (left ? undefined : running?.session) })

  const find = async (id: string): Promise<Task> =>
    book.near(agent, id) ??
    (await book.find(agent, id)) ??
    fail('not_found', { what: `task "${id}" of "${agent}"`, see: `Ask for /agents/${agent}/history.` })
  /** One that is not over is always at hand. */
  const at = (task: Task): Task => book.near(agent, task.id) ?? task
  const current = (): Task | undefined => book.open(agent).find(isOpen)

  const change: Worker['change'] = async (id, rule) => {
    // No pause where it is at hand: what was looked at is what is changed.
    const before = book.near(agent, id) ?? (await find(id))
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

  const programOf = programsOf({ env: options.env, scripted: options.programs.scripted })
  const program = async (): Promise<Found> => programOf(await roleFor(root, options.file()))

  const spending = spendingOf(options)

  const works = taskReviewsOf({
    root,
    works: options.works,
    at,
    change,
    session: reviewedOf(options, questions),
  })
  const earFor = listenerOf(options, { questions, works, moved: (id) => tell(id) })

  const tell = (id: string): void => {
    const at = now()
    if (at - told < progressMs || running?.attempt === undefined) return
    told = at
    record(activity('task.progress', id, { ...running.attempt.ear.progress() }))
  }

  const begin = async (task: Task, mine: Running): Promise<Attempt | undefined> => {
    const own = privates.get(task.id)
    const checked = task.attempt === undefined ? own?.role : undefined
    const role = checked ?? (await roleFor(root, options.file()))
    mine.role = role
    const found = await programOf(role)
    await works.begins(task, role)
    const attempt = await spending.launching(task, role, (meter) => {
      mine.meter = meter
      return launch(options, task, {
        role,
        found,
        own,
        change,
        maxCostUsd: meter.left('cost_usd'),
        counted: meter.left('tokens') !== undefined,
        earFor: (one, where) => earFor(one, meter, where),
        began: (early) => {
          mine.attempt = early
        },
      })
    })
    // Wished away while it started.
    if (at(task).wish !== undefined) attempt?.stop(grace)
    return attempt
  }

  const conclude = async (task: Task, came: Came, { meter }: Running): Promise<void> => {
    const { id } = task
    payFor(meter, at(task), came)
    if (!('lost' in came)) {
      const { ending } = came
      for (const { pid, command } of ending.left)
        log.error(`${id} has left a process that nothing could end`, { pid, command })
      await change(id, (one) => settle(one, ending, { at: now(), iso }))
      return
    }
    const file = options.file()
    const role = await roleFor(root, file)
    const { driver } = await programOf(role)
    const cwd = placeOf({ root, agent, file, role, session: task.session })
    const size = await sizeOf(driver.transcriptPath(configOf(root, agent), cwd, task.session))
    const transcript = size > (at(task).attempt?.offset ?? 0)
    const traces = { transcript, env: privates.has(id), why: came.lost }
    await change(id, (one) => lose(one, traces, now()))
  }

  const bringHome = async ({ role: known }: Running): Promise<void> => {
    // A role that was broken while it worked must not keep what it came to from being stored.
    const role = known ?? (await roleFor(root, options.file()).catch(() => undefined))
    if (role === undefined) log.warn('work in a clone is not fetched: its role cannot be read', { agent })
    else await takeWork({ root, agent, role, log })
  }

  const insist = insistOn(log, () => left)

  /** From its start to what it came to; the agent is busy meanwhile. */
  const run = async (task: Task, mine: Running, met?: Attempt | Came): Promise<void> => {
    let attempt = met !== undefined && !isCame(met) ? met : undefined
    if (met === undefined) {
      try {
        attempt = await begin(task, mine)
      } catch (error) {
        if (isKeepers(error)) {
          // It may have begun before its keeper went.
          await insist(task.id, () => conclude(task, { lost: error.message }, mine))
          return
        }
        const why = startError(error)
        await insist(task.id, async () => void (await change(task.id, (one) => refuse(one, why, now()))))
        return
      }
      if (attempt === undefined) return
    }
    mine.attempt = attempt as Attempt
    const came = met !== undefined && isCame(met) ? met : await (attempt as Attempt).came
    if (left) return
    mine.came = true
    const { number } = at(task).attempt ?? { number: 1 }
    const directory = attemptDirectory(root, agent, task.id, { number })
    const kept = keepOutput(root, task.id, number, { directory, agent, session: task.session }).catch(
      (error: Error) => log.warn(`what ${task.id} printed is not kept`, { reason: error.message }),
    )
    await Promise.all([kept, bringHome(mine)])
    void approvals.over(task.session, 'its attempt ended')
    let judged: Came | undefined = came
    await insist(task.id, async () => {
      judged = await works.judge(task, came)
    })
    const final = judged
    if (left || final === undefined) return
    await insist(task.id, () => conclude(task, final, mine))
    if (!isOpen(at(task))) works.done(task)
    // The agent is free already; only the keeper still has to go.
    const done = attempt?.done() ?? rm(directory, { recursive: true, force: true, maxRetries: 5 })
    void done.catch((error: Error) => log.warn('an attempt left files', { reason: error.message }))
  }

  const occupy = (task: Task, met?: Attempt | Came): void => {
    let free = (): void => {}
    const over = new Promise<void>((resolve) => {
      free = resolve
    })
    const meter = spending.meter(task.session)
    const mine: Running = { id: task.id, session: task.session, over, meter }
    running = mine
    // Of one that is soon over nothing is told between.
    told = now()
    questions.busy()
    void run(task, mine, met)
      .catch((error: Error) => log.error(`${task.id} could not be followed`, { stack: error.stack }))
      .then(() => {
        running = undefined
        if (!isOpen(at(task))) privates.delete(task.id)
        free()
        look()
      })
  }

  const lookAt = (at: number): void => {
    clearTimeout(timer)
    timer = setTimeout(look, Math.min(Math.max(at - now(), 0), longest)).unref()
  }

  const expire = (task: Task): void => {
    void change(task.id, (one) => wish(one, 'timeout', now())).catch((error: Error) => {
      log.error('a task that is too late could not be stopped yet', { reason: error.message })
      lookAt(now() + again)
    })
  }

  const rest = (): void => {
    const until = draining ? undefined : limitedUntil(book.latest(agent), iso(now()))
    if (until === undefined) options.report(draining ? 'draining' : 'idle', spending.notice())
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
    const ends = task.wish?.why === 'budget' ? task.wish.at + spentMs : task.wish?.at
    if (ends !== undefined && now() < ends) {
      lookAt(ends)
      return
    }
    if (ends !== undefined) {
      running?.attempt?.stop(grace)
      works.drop()
    }
    const next = task.state === 'queued' ? task.retryAt : undefined
    if (next !== undefined && now() < next) {
      options.report('limited', `${task.id} is tried again at ${iso(next)}`)
      lookAt(Math.min(next, late ?? next))
      return
    }
    if (late !== undefined) lookAt(late)
    if (running === undefined && task.state === 'queued' && !draining) occupy(task)
  }

  /** Nothing more may be used: what runs has failed, unless it was at its end. */
  const exhaust = (): void => {
    const reached = running?.attempt === undefined || running.came ? undefined : running.meter.reached()
    if (running !== undefined && reached !== undefined)
      void change(running.id, (one) => wish(one, 'budget', now(), usedUp(reached))).catch((error: Error) =>
        log.error('a task whose budget is used up could not be stopped yet', { reason: error.message }),
      )
    else look()
  }
  const forget = budgets.watch(exhaust)

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
    const { driver } = await programOf(role)
    const told = await toldIn(store, task.session)
    const meter = spending.meter(task.session)
    occupy(task, await meetAttempt(earFor(task, meter, { directory, tree: cwd, driver, told })))
  }

  return {
    program,
    start: async () => {
      await spending.limit(await roleFor(root, options.file()))
      const open = current()
      const kept = open?.attempt && attemptDirectory(root, agent, open.id, open.attempt)
      if (open !== undefined) await meet(open)
      look()
      exhaust()
      // Nobody waits for it.
      void clearAttempts(root, agent, kept, log)
    },
    current,
    find,
    take: (task, secret) => {
      if (secret !== undefined) privates.set(task.id, secret)
      look()
    },
    change,
    progress: (id) => (running?.id === id ? running.attempt?.ear.progress() : undefined),
    isSpent: spending.isSpent,
    running: (id) => {
      const attempt = running?.id === id ? book.near(agent, id)?.attempt : undefined
      return attempt && { number: attempt.number, session: attemptDirectory(root, agent, id, attempt) }
    },
    voice: (session) => (running?.session === session ? running.attempt?.ear : undefined),
    finish: async ({ hurry, leave }) => {
      draining = true
      clearTimeout(timer)
      questions.close()
      if (leave) forget()
      if (leave) {
        left = true
        running?.attempt?.leave()
        works.leave()
        return
      }
      const stop = (): void => {
        running?.attempt?.stop(1_000)
        works.leave()
      }
      if (hurry.aborted) stop()
      hurry.addEventListener('abort', stop, { once: true })
      await running?.over
    },
  }
}
