// The life of a task that a terminal agent was given. What it is follows from its message, from the session, and from
// the wish that it be over.
//
//   queued ──its turn began──▶ working ──Stop, and no review is open──▶ completed
//     │                          │  ├──the API gave up──▶ failed
//     │                          │  └──Esc of a person, end of the session──▶ interrupted
//     └──wish: cancel, timeout───┴──▶ cancelling ──taken back, or its turn is over──▶ cancelled, failed (timeout)
//
//   queued ◀──continue: another message── completed, failed, interrupted, cancelled
//
// A turn that came to its own end completes the task, whoever wished otherwise meanwhile: the work ran.
import { oneLine } from '../base/text/rules.ts'
import { fact } from '../journal/rules.ts'
import type { Event, Fact } from '../journal/schema.ts'
import type { Message } from '../message/schema.ts'
import { isOver, stateOf } from '../session/rules.ts'
import type { Session } from '../session/schema.ts'
import { span } from '../session/summary/rules.ts'
import { quota } from '../session/trouble/rules.ts'
import type { TaskRequest, TaskSummary, TaskView } from './api.ts'
import type { Task, TaskError, TaskState } from './schema.ts'

const finals: readonly TaskState[] = ['cancelled', 'completed', 'failed', 'interrupted']
export const isFinal = ({ state }: Pick<Task, 'state'>): boolean => finals.includes(state)

/** It is done by a process of its own; one of a terminal agent is a message. */
export const isHeadless = ({ asked }: Pick<Task, 'asked'>): boolean => asked !== undefined

/** Of its present prompt; the first has the id of the task. */
export const messageIdOf = ({ id, prompts = 1 }: Pick<Task, 'id' | 'prompts'>, prompt = prompts): string =>
  prompt === 1 ? id : `${id}-${prompt}`

type Used = NonNullable<Task['used']>

/** Never below zero: after a crash the session may know less than it did. */
const difference = (after: Used, before: Used): Used => {
  const less = (one: keyof Used): number => Math.max(0, after[one] - before[one])
  return {
    input: less('input'),
    output: less('output'),
    cacheRead: less('cacheRead'),
    cacheWrite: less('cacheWrite'),
    costUsd: Math.round(less('costUsd') * 1e9) / 1e9,
  }
}

const withUsed = (task: Task, { usage }: Session): Task =>
  task.before === undefined ? task : { ...task, used: difference(usage, task.before) }

/** What is paid for is told after the turn has ended: it counts until another turn begins. */
const recount = (task: Task, message: Message | undefined, session: Session): Task => {
  const mine = message?.turn !== undefined && session.ended.at(-1) === message.turn
  if (!mine || session.turn !== undefined) return task
  const counted = withUsed(task, session)
  return JSON.stringify(counted.used) === JSON.stringify(task.used) ? task : counted
}

/** Whether work that ran to its end counts: only once its review is over. */
export type Standing = 'free' | 'held' | { readonly refused: string }

export const unaccepted = (why: string): TaskError => ({
  type: 'review_failed',
  message: why,
  retryable: false,
})

type Outcome = { readonly state: TaskState; readonly output?: string; readonly error?: TaskError }

const end = (task: Task, outcome: Outcome, session: Session, at: number): Task => ({
  ...withUsed(task, session),
  ...outcome,
  endedAt: at,
})

const timedOut = ({ timeout = 0 }: Task): TaskError => ({
  type: 'timeout',
  message: `Task exceeded timeout of ${timeout} seconds`,
})

export const exhausted = ({ wish }: Task): TaskError => ({
  type: 'budget_exceeded',
  message: wish?.text ?? 'its budget is used up',
  retryable: false,
})

/** Its turn is over, or never came, as was wished. */
const granted = (task: Task): Outcome | undefined => {
  if (task.wish === undefined) return undefined
  if (task.wish.why === 'cancel') return { state: 'cancelled' }
  return { state: 'failed', error: task.wish.why === 'timeout' ? timedOut(task) : exhausted(task) }
}

const failed = ({ limit, trouble }: Session): Outcome => {
  const type = limit?.what === quota ? 'rate_limited' : 'claude_error'
  return {
    state: 'failed',
    error: { type, message: limit?.what ?? trouble?.what ?? 'the turn failed' },
  }
}

const cutShort = (why: string): Outcome => ({
  state: 'interrupted',
  error: { type: 'interrupted', message: why },
})

const ofEnded = (task: Task, message: Message, session: Session, standing: Standing): Outcome | undefined => {
  const output = message.answer ?? ''
  if (message.end === 'answered') {
    if (standing === 'free') return { state: 'completed', output }
    // What nobody has accepted is not completed by wishing it away.
    if (standing === 'held') return granted(task)
    return { state: 'failed', output, error: unaccepted(standing.refused) }
  }
  const wished = granted(task)
  if (wished !== undefined) return wished
  return message.end === 'failed'
    ? failed(session)
    : cutShort(message.reason ?? 'its turn was over before anybody heard that it began')
}

/** Where it may have arrived after all, nobody can say that it is not running. */
const ofFailed = (task: Task, message: Message): Outcome => {
  const wished = message.unsure ? undefined : granted(task)
  const error = { type: 'not_delivered' as const, message: message.reason ?? 'it was not delivered' }
  return wished ?? { state: 'failed', error }
}

const ofWithdrawn = (task: Task, session: Session): Outcome =>
  granted(task) ?? (isOver(session) ? cutShort('the session ended before it began') : { state: 'cancelled' })

const outcomeOf = (
  task: Task,
  message: Message | undefined,
  session: Session,
  standing: Standing,
): Outcome | undefined => {
  if (message === undefined) return cutShort('its message is gone')
  switch (message.life) {
    case 'ended':
      return ofEnded(task, message, session, standing)
    case 'failed':
      return ofFailed(task, message)
    case 'withdrawn':
      return ofWithdrawn(task, session)
    default:
      return undefined
  }
}

/** Of a turn that nobody heard begin, what it has used is not known. */
const begin = (task: Task, { life, sentAt }: Message, { usage }: Session, at: number): Task => {
  if (task.startedAt !== undefined) return task
  // What its prompts before have used is its own too; what was done between them is not.
  const before = task.used === undefined ? usage : difference(usage, task.used)
  if (life === 'started') return { ...task, startedAt: at, before }
  return life === 'ended' ? { ...task, startedAt: sentAt ?? at } : task
}

/** The task, given what has become of its message. `session` is what is known after all that was heard. */
export const follow = (
  task: Task,
  message: Message | undefined,
  session: Session,
  at: number,
  standing: Standing = 'free',
): Task => {
  if (isFinal(task)) return recount(task, message, session)
  const begun = message === undefined ? task : begin(task, message, session, at)
  const outcome = outcomeOf(begun, message, session, standing)
  if (outcome !== undefined) return end(begun, outcome, session, at)
  const state = begun.wish ? 'cancelling' : begun.startedAt === undefined ? 'queued' : 'working'
  return begun === task && state === task.state ? task : { ...begun, state }
}

export type Wish = NonNullable<Task['wish']>

/** Asked again it is the same wish. */
export const wish = (task: Task, why: Wish['why'], at: number, text?: string): Task =>
  isFinal(task) || task.wish !== undefined
    ? task
    : { ...task, state: 'cancelling', wish: { why, at, ...(text !== undefined && { text }) } }

/** A new prompt in its session, once the one before is over. */
export const proceed = (task: Task, timeout: number | undefined, at: number): Task => {
  const {
    wish: _w,
    pressed: _p,
    error: _e,
    output: _o,
    startedAt: _s,
    endedAt: _en,
    before: _b,
    ...rest
  } = task
  return {
    ...rest,
    state: 'queued',
    prompts: (task.prompts ?? 1) + 1,
    begunAt: at,
    ...(timeout === undefined ? {} : { timeout }),
  }
}

/** One that waited for an agent, as the task of a terminal agent. */
export const claimed = (waiting: Task, agent: string, session: string, at: number): Task => {
  const { asked: _asked, prompts: _prompts, ...rest } = waiting
  return { ...rest, agent, session, begunAt: at }
}

export type Refusal =
  | { readonly code: 'not_ready' | 'draining' | 'not_taskable' }
  | { readonly code: 'agent_ended' | 'rate_limited'; readonly why: string }
  | { readonly code: 'agent_busy'; readonly why: string; readonly task: string | null }

/** Why the agent takes no task now. After an error it does: a task is worth another try. */
export const refusalOf = (session: Session, current: string | undefined, at: number): Refusal | undefined => {
  const state = stateOf(session)
  const busy = (why: string): Refusal => ({ code: 'agent_busy', why, task: current ?? null })
  switch (state.name) {
    case 'unmanaged':
      return { code: 'not_taskable' }
    case 'exited':
    case 'lost':
    case 'unsupervised':
      return { code: 'agent_ended', why: state.name }
    case 'starting':
      return { code: 'not_ready' }
    case 'draining':
      return { code: 'draining' }
    default:
  }
  if (current !== undefined) return busy(`it works on ${current}`)
  if (state.name === 'blocked') return busy('it waits for a permission')
  if (session.turn !== undefined || session.compacting || session.queue.length > 0)
    return busy('it is in a turn that no task began')
  if (state.name === 'limited')
    return { code: 'rate_limited', why: `${state.what}, for ${span(state.until - at)}` }
  return undefined
}

/** What the agent reads. */
export const textOf = ({ prompt, project }: Pick<TaskRequest, 'prompt' | 'project'>): string =>
  project === undefined ? prompt : `Project ${project.name}: ${project.prompt}\n\n${prompt}`

export const previewOf = (prompt: string): string => oneLine(prompt, 100)

/** What two requests under one key must have in common. */
export const askedIn = ({ idempotency_key: _key, ...asked }: TaskRequest): string =>
  JSON.stringify([
    asked.prompt,
    asked.project?.name ?? null,
    asked.project?.prompt ?? null,
    asked.timeout_seconds ?? null,
    asked.session_id ?? null,
    asked.model ?? null,
    asked.keep_open ?? false,
    asked.resumable ?? false,
    asked.credentials ?? [],
    Object.entries(asked.env ?? {}).sort(([one], [other]) => (one < other ? -1 : 1)),
  ])

type Clock = { readonly now: number; readonly iso: (at: number) => string }

/** Of a process that ended well although its task failed, 0 would be a lie. */
const codeOf = ({ state, exit }: Task): number | null =>
  state === 'completed' ? 0 : state === 'failed' ? exit?.code || 1 : null

const outcomeIn = (task: Task, { now, iso }: Clock) => {
  const { startedAt, endedAt, used } = task
  const told = isFinal(task) || task.state === 'idle'
  const input = used && used.input + used.cacheRead + used.cacheWrite
  return {
    task_id: task.id,
    state: task.state,
    exit_code: codeOf(task),
    started_at: startedAt === undefined ? null : iso(startedAt),
    completed_at: endedAt === undefined ? null : iso(endedAt),
    duration_seconds:
      startedAt === undefined ? 0 : Math.max(0, Math.round(((endedAt ?? now) - startedAt) / 1000)),
    session_id: task.session,
    ...(task.error && { error: task.error }),
    token_usage: told && used && input !== undefined ? { input, output: used.output } : null,
    ...(told && used && { cost_usd: used.costUsd }),
    ...(task.left && { left_processes: task.left }),
  }
}

export const viewOf = (task: Task, clock: Clock, progress?: TaskView['progress']): TaskView => ({
  ...outcomeIn(task, clock),
  output: task.output ?? null,
  ...(progress === undefined ? {} : { progress }),
})

export const summaryOf = (task: Task, clock: Clock): TaskSummary => ({
  ...outcomeIn(task, clock),
  prompt_preview: task.preview,
  queued_at: clock.iso(task.at),
})

export const queueFact = (task: Task): Fact => fact('task.queued', task.id, task)

export const changeFact = (task: Task): Fact => {
  const { id, preview: _preview, digest: _digest, at: _at, ...progress } = task
  return fact('task.changed', id, progress)
}

export const forgetFact = ({ id }: Pick<Task, 'id'>): Fact => fact('task.forgotten', id)

export const reduceTask = (was: Task | undefined, event: Event): Task | undefined => {
  if (event.type === 'task.queued') return event.data as Task
  if (event.type === 'task.forgotten') return undefined
  if (event.type !== 'task.changed' || was === undefined) return was
  const { id, agent, session, preview, digest, at } = was
  return { id, agent, session, preview, digest, at, ...(event.data as Pick<Task, 'state'>) }
}
