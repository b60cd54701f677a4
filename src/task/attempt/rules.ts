// The life of a task of a headless agent.
//
//   queued ──attempt stored──▶ working ──its answer──▶ completed, or idle where it is kept open
//     ▲                          │ ├──the API failed: again, later──▶ queued
//     │                          │ ├──a reviewer found issues: told so, in the same session──▶ queued
//     │                          │ └──it failed for good, or nobody accepts the work──▶ failed
//     │                          ├──its process is gone, its conversation is there──▶ interrupted, or queued to go on
//     │                          └──its process is gone and never said a word──▶ queued
//     └──continue── idle, completed, failed, interrupted, cancelled
//
//   queued ──wish──▶ cancelled, failed (timeout)       working ──wish──▶ cancelling ──nothing is left──▶ the same
//
// An attempt is stored before its process is started, under an id of a session that the CLI takes only once: so
// whoever finds the attempt can tell whether it ran.
import { noUsage, spent } from '../../driver/claude/result/rules.ts'
import type { FailureClass, Outcome, Usage } from '../../driver/schema.ts'
import { exhausted, isFinal, unaccepted as reviewError, type Wish } from '../rules.ts'
import type { Attempt, Task, TaskError } from '../schema.ts'

/** It has the agent for itself. One that is idle does not. */
export const isOpen = ({ state }: Task): boolean =>
  state === 'queued' || state === 'working' || state === 'cancelling'

/** What an attempt is told that goes on where another one was cut off: told the prompt again, it might begin anew. */
export const goOn = 'Your work was cut off before you were done. Go on where you stopped.'

/** Whether the attempt before has begun with the prompt that is next. `offset` is how long the transcript is now. */
export const hasBegun = ({ attempt, prompts = 1 }: Task, offset: number): boolean =>
  attempt !== undefined && attempt.prompt === prompts && offset > attempt.offset

/**
 * It was taken for one that never began, and what its process wrote was seen only afterwards. What is retried because its
 * model could not answer goes on, and says when.
 */
export const hadBegun = (task: Task, offset: number): boolean =>
  hasBegun(task, offset) && !task.asked?.resumable && task.retryAt === undefined

/** `offset` is how long the transcript of the session is now. */
export const begin = (task: Task, offset: number, at: number): Task => {
  const { retryAt: _retryAt, exit: _exit, ...rest } = task
  const attempt: Attempt = {
    number: (task.attempt?.number ?? 0) + 1,
    session: task.session,
    resume: offset > 0,
    prompt: task.prompts ?? 1,
    offset,
  }
  return {
    ...rest,
    state: 'working',
    startedAt: task.startedAt ?? at,
    begunAt: task.begunAt ?? at,
    attempt,
  }
}

const add = (one: Usage, other: Usage): Usage => ({
  input: one.input + other.input,
  output: one.output + other.output,
  cacheRead: one.cacheRead + other.cacheRead,
  cacheWrite: one.cacheWrite + other.cacheWrite,
  costUsd: Math.round((one.costUsd + other.costUsd) * 1e9) / 1e9,
})

/** Totals are of the session: what the attempt used is the difference to the last. */
const pay = (task: Task, total: Usage | undefined): Task =>
  total === undefined ? task : { ...task, total, used: add(task.used ?? noUsage, spent(total, task.total)) }

/** When its time is over; undefined = never. */
export const deadline = ({ timeout, begunAt, at, wish, review }: Task): number | undefined =>
  timeout === undefined || wish !== undefined || review?.approval !== undefined
    ? undefined
    : (begunAt ?? at) + timeout * 1000

const types: Readonly<Record<FailureClass, TaskError['type']>> = {
  retryable: 'claude_error',
  overload: 'overloaded',
  rate_limit: 'rate_limited',
  auth: 'auth_error',
  max_turns: 'max_turns',
  budget: 'budget_exceeded',
  context_overflow: 'context_overflow',
  interrupted: 'interrupted',
  blocked: 'blocked',
  fatal: 'claude_error',
}

/** How long it waits after each failure in a row; the CLI itself has tried several times before. */
const pauses = [5_000, 30_000, 120_000] as const
const retried: readonly FailureClass[] = ['retryable', 'overload', 'rate_limit']

/** Lost so often, something is wrong with more than the task. */
export const mostLosses = 10

type Failed = Extract<Outcome, { ok: false }>

/** When it may be tried again; undefined = that would not help. A limit whose end is told is waited for. */
export const retryAt = (failure: Failed, failures: number, at: number): number | undefined => {
  if (!retried.includes(failure.class)) return undefined
  const pause = pauses[failures]
  if (pause === undefined) return undefined
  const told =
    failure.resetsAt ?? (failure.retryAfterMs === undefined ? undefined : at + failure.retryAfterMs)
  return Math.max(at + pause, told ?? 0)
}

type Clock = { readonly at: number; readonly iso: (at: number) => string }

const over = (task: Task, at: number, end: Partial<Task>): Task => {
  const { retryAt: _retryAt, ...rest } = task
  return { ...rest, ...end, endedAt: at }
}

const timedOut = ({ timeout = 0 }: Task): TaskError => ({
  type: 'timeout',
  message: `Task exceeded timeout of ${timeout} seconds`,
  retryable: true,
})

/** As was wished. */
const grant = (task: Task, at: number): Task =>
  task.wish?.why === 'cancel'
    ? over(task, at, { state: 'cancelled' })
    : over(task, at, {
        state: 'failed',
        error: task.wish?.why === 'budget' ? exhausted(task) : timedOut(task),
      })

const fails = (task: Task, failure: Failed, { at, iso }: Clock): Task => {
  const failures = task.failures ?? 0
  const again = retryAt(failure, failures, at)
  const late = deadline(task)
  if (again !== undefined && (late === undefined || again < late))
    return { ...task, state: 'queued', failures: failures + 1, retryAt: again }
  const { message } = failure
  // Whoever killed its process did not wish it away.
  if (failure.class === 'interrupted' && task.asked?.resumable && failures < mostLosses)
    return { ...task, state: 'queued', failures: failures + 1 }
  if (failure.class === 'interrupted')
    return over(task, at, { state: 'interrupted', error: { type: 'interrupted', message } })
  const limit = again !== undefined && failure.class === 'rate_limit' ? { retry_at: iso(again) } : {}
  const error: TaskError = {
    type: types[failure.class],
    message,
    retryable: retried.includes(failure.class),
    ...limit,
  }
  return over(task, at, { state: 'failed', error })
}

/** When the limit ends that the last task has met, if that is still to come. `now` is written as `retry_at` is. */
export const limitedUntil = (last: Task | undefined, now: string): string | undefined => {
  const until = last?.error?.type === 'rate_limited' ? last.error.retry_at : undefined
  return until !== undefined && until > now ? until : undefined
}

export type Ending = {
  readonly outcome: Outcome
  readonly exit: { readonly code: number | null; readonly signal: string | null }
  /** What it said so far, for one that was cut off. */
  readonly said: string
  /** Processes that nothing could end. */
  readonly left: NonNullable<Task['left']>
  /** What a review of its work came to, where there was one. */
  readonly reviewed?: Reviewed | undefined
}

/** `back`: its next prompt, which is stored, says what the reviewer found. */
export type Reviewed =
  | { readonly kind: 'accepted' | 'back' }
  | { readonly kind: 'refused'; readonly why: string }

/** Work that ran to its end and does not count. */
const unaccepted = (task: Task, reviewed: Reviewed, at: number): Task => {
  if (task.wish !== undefined) return grant(task, at)
  if (reviewed.kind === 'refused')
    return over(task, at, { state: 'failed', error: reviewError(reviewed.why) })
  const prompt = (task.prompts ?? 1) + 1
  const { output: _output, ...rest } = task
  return {
    ...rest,
    state: 'queued',
    prompts: prompt,
    review: { prompts: [...(task.review?.prompts ?? []), prompt] },
  }
}

/** A person is asked whether its work is accepted as it is. It takes as long as that person takes. */
export const escalate = (task: Task, approval: string | undefined): Task => {
  if (!isOpen(task) || task.review?.approval === approval) return task
  const { approval: _approval, ...rest } = task.review ?? {}
  return { ...task, review: { ...rest, ...(approval !== undefined && { approval }) } }
}

/** More would only say the same. */
const mostLeft = 20

/** It did not come to its end by itself: there is nothing to be reviewed. */
export const isStopped = ({ wish }: Task, { outcome }: Pick<Ending, 'outcome'>): boolean =>
  !outcome.ok || (outcome.stopped === true && wish?.why === 'budget')

/** Its process has ended, and what it left with it, but for what could not be. */
export const settle = (before: Task, { outcome, exit, said, left, reviewed }: Ending, clock: Clock): Task => {
  if (isFinal(before)) return before
  const orphans = [...(before.left ?? []), ...left].slice(0, mostLeft)
  const paid = { ...pay(before, outcome.total), exit, ...(orphans.length > 0 && { left: orphans }) }
  // A hook has ended it because its budget is used up.
  if (outcome.ok && outcome.stopped && paid.wish?.why === 'budget') return grant(paid, clock.at)
  // The work ran to its end, whoever wished otherwise meanwhile.
  if (outcome.ok) {
    const { failures: _failures, error: _error, ...rest } = paid
    const output = outcome.text
    if (reviewed !== undefined && reviewed.kind !== 'accepted')
      return unaccepted({ ...rest, output }, reviewed, clock.at)
    if (rest.asked?.keepOpen && rest.wish === undefined) return { ...rest, state: 'idle', output }
    return over(rest, clock.at, { state: 'completed', output })
  }
  // What the CLI says of an error of the API is the error.
  const partial = said === '' || said === outcome.message ? paid : { ...paid, output: said }
  return partial.wish === undefined ? fails(partial, outcome, clock) : grant(partial, clock.at)
}

/** Its process could not be started. */
export const refuse = (task: Task, error: TaskError, at: number): Task =>
  task.wish === undefined ? over(task, at, { state: 'failed', error }) : grant(task, at)

/** What is left of an attempt whose process is gone and told no end. `env`: this host still has it. */
export type Traces = { readonly transcript: boolean; readonly env: boolean; readonly why: string }

export const lose = (task: Task, { transcript, env, why }: Traces, at: number): Task => {
  if (!isOpen(task)) return task
  if (task.wish !== undefined) return grant(task, at)
  // What the CLI has begun is never begun again: it may have done half of it.
  if (transcript && !task.asked?.resumable)
    return over(task, at, { state: 'interrupted', error: { type: 'interrupted', message: why } })
  if (task.asked?.env && !env) {
    const message = 'its env was lost before it started: it is never stored'
    return over(task, at, { state: 'failed', error: { type: 'env_lost', message, retryable: true } })
  }
  const failures = (task.failures ?? 0) + 1
  if (failures > mostLosses)
    return over(task, at, { state: 'failed', error: { type: 'launch_error', message: why, retryable: true } })
  return { ...task, state: 'queued', failures }
}

/** Of one that has no process: at once. */
export const wish = (task: Task, why: Wish['why'], at: number, text?: string): Task => {
  if (!isOpen(task) || task.wish !== undefined) {
    // Kept open, it only waits.
    return task.state === 'idle' && why === 'cancel'
      ? over({ ...task, wish: { why, at } }, at, { state: 'cancelled' })
      : task
  }
  const wished: Task = { ...task, wish: { why, at, ...(text !== undefined && { text }) } }
  return task.state === 'queued' ? grant(wished, at) : { ...wished, state: 'cancelling' }
}

/** The session must have begun: there is nothing to go on with otherwise. */
export const isContinuable = (task: Task): boolean => !isOpen(task) && task.attempt !== undefined

const without = ({ review: _review, ...rest }: Task): Task => rest

export const proceed = (task: Task, timeout: number | undefined): Task => {
  const { wish: _w, error: _e, output: _o, endedAt: _en, begunAt: _b, failures: _f, exit: _x, ...rest } = task
  const told = task.review?.prompts
  return {
    ...without(rest),
    ...(told && { review: { prompts: told } }),
    state: 'queued',
    prompts: (task.prompts ?? 1) + 1,
    ...(timeout === undefined ? {} : { timeout }),
  }
}

export const end = (task: Task, at: number): Task =>
  task.state === 'idle' ? over(task, at, { state: 'completed' }) : task
