// Takes a task for a terminal agent, or says why not. It is stored with its message in one transaction: whoever dies
// behind that, the message is typed once.
import type { BodyOf } from '../base/contract/schema.ts'
import { AgencyError, fail } from '../base/error/fail.ts'
import type { Fact } from '../journal/schema.ts'
import type { Desk } from '../message/desk.ts'
import { longestText } from '../message/schema.ts'
import type { Session } from '../session/schema.ts'
import type { TaskRequest, tasks } from './api.ts'
import type { Book } from './book.ts'
import { digestOf, idOf } from './id.ts'
import { isAtRest } from './queue/rules.ts'
import {
  askedIn,
  changeFact,
  claimed,
  messageIdOf,
  previewOf,
  proceed,
  queueFact,
  type Refusal,
  refusalOf,
  textOf,
} from './rules.ts'
import type { Task } from './schema.ts'

export type GiveOptions = {
  /** What one that waited for an agent is to be told. */
  readonly prompt: (id: string) => Promise<string | undefined>
  readonly agent: string
  readonly book: Book
  readonly desk: Desk
  readonly session: () => Session
  /** Why it may not work at all. */
  readonly limit?: (() => AgencyError | undefined) | undefined
  readonly now: () => number
}

const from = { kind: 'agency', name: 'agency' } as const

const refuse = (agent: string, refusal: Refusal): never => {
  switch (refusal.code) {
    case 'agent_busy':
      return fail('agent_busy', { agent, why: refusal.why, also: { current_task: refusal.task } })
    case 'agent_ended':
    case 'rate_limited':
      return fail(refusal.code, { agent, why: refusal.why })
    case 'not_taskable':
      return fail('not_taskable', { agent })
    default:
      return fail(refusal.code, { what: `agents/${agent}` })
  }
}

/** What a program that runs already cannot be given any more. */
const refuseFixed = ({ model, env, ...asked }: TaskRequest): void => {
  const late = 'cannot be given to an agent that runs already'
  if (model !== undefined)
    fail('validation_error', { what: `model ${late}: its role names the model. It was "${model}".` })
  if (env !== undefined)
    fail('validation_error', {
      what: `env ${late}: it was launched with its own. It had ${Object.keys(env).join(', ') || 'nothing'}.`,
    })
  if (textOf(asked).length > longestText)
    fail('validation_error', {
      what: `prompt and project.prompt must have at most ${longestText} characters together.`,
    })
}

/** What becomes of a new prompt: for the terminal, one message. */
export type Giving = {
  /** Resolves with its id when it is stored. */
  give(asked: TaskRequest): Promise<string>
  /** Another prompt for one that is over. */
  proceed(task: Task, asked: BodyOf<typeof tasks.proceed>): Promise<void>
  /** Takes what waited for an agent; false = it is not free. */
  claim(waiting: Task): Promise<boolean>
  /** Since when it would take what waits for an agent; undefined = not now. */
  freeSince(): number | undefined
}

export const giveOf = (options: GiveOptions): Giving => {
  const { agent, book, desk, session, now } = options
  const box = desk.box(agent)
  let giving: { readonly task: Task; readonly stored: Promise<void> } | undefined

  const send = async (task: Task, text: string, fact: Fact): Promise<void> => {
    const id = messageIdOf(task)
    try {
      await desk.send({ from, to: agent, text, lane: 'normal', id, along: [fact] })
    } catch (error) {
      // Its task is forgotten, its id is not.
      if (error instanceof AgencyError && error.code === 'message_conflict')
        fail('idempotency_conflict', { task: task.id })
      throw error
    }
    book.put(task)
  }

  /** No pause between the check and this: of two at once, the second finds the agent busy. */
  const store = async (task: Task, text: string, fact: Fact): Promise<void> => {
    giving = { task, stored: send(task, text, fact) }
    try {
      await giving.stored
    } finally {
      giving = undefined
    }
  }

  const checkSession = (wanted: string | null | undefined): void => {
    const { id, ids } = session()
    if (wanted === null || wanted === undefined || wanted === id) return
    if (ids.includes(wanted)) fail('session_past', { agent, session: wanted, current: id })
    fail('not_found', { what: `session ${wanted} of "${agent}"`, see: `Its session is ${id}.` })
  }

  const refusal = (): Refusal | undefined => {
    const current = book.open(agent)[0] ?? giving?.task
    return refusalOf(session(), current?.id, now())
  }
  const check = (): void => {
    const found = refusal()
    if (found !== undefined) refuse(agent, found)
    const spent = options.limit?.()
    if (spent !== undefined) throw spent
  }

  const freeSince = (): number | undefined => {
    const ours = book.latest(agent)?.wish !== undefined
    const free = refusal() === undefined && options.limit?.() === undefined
    return free && isAtRest(session(), box.messages(), ours) ? session().since : undefined
  }

  const give: Giving['give'] = async (asked) => {
    refuseFixed(asked)
    const digest = digestOf(askedIn(asked))
    const id = idOf(agent, asked.idempotency_key, now())
    // A new one is not waited for here: between this look and the last one nobody else may come.
    const known = book.has(agent, id) ? await book.find(agent, id) : undefined
    const before = known ?? (giving?.task.id === id ? giving.task : undefined)
    if (before !== undefined && before.digest !== digest) fail('idempotency_conflict', { task: id })
    if (before !== undefined) {
      if (giving?.task.id === id) await giving.stored
      return id
    }
    check()
    checkSession(asked.session_id)
    const { timeout_seconds: timeout } = asked
    const task: Task = {
      id,
      agent,
      session: session().id,
      preview: previewOf(asked.prompt),
      digest,
      at: now(),
      ...(timeout !== undefined && { timeout }),
      state: 'queued',
    }
    await store(task, textOf(asked), queueFact(task))
    return id
  }

  return {
    give,
    freeSince,
    proceed: async (task, { prompt, timeout_seconds: timeout }) => {
      const { id } = task
      check()
      if (task.startedAt === undefined && task.prompts === undefined)
        fail('not_continuable', { task: id, why: 'it never began' })
      if (task.session !== session().id)
        fail('not_continuable', { task: id, why: `"${agent}" has left its session` })
      const next = proceed(task, timeout, now())
      await store(next, prompt, changeFact(next))
    },
    claim: async (waiting) => {
      const text = await options.prompt(waiting.id)
      if (freeSince() === undefined) return false
      if (text === undefined) {
        // Left waiting, it would be the next one for ever.
        const error = { type: 'launch_error', message: 'its prompt is not kept any more' } as const
        book.change({ ...waiting, state: 'failed', error, endedAt: now() })
        return true
      }
      const task = claimed(waiting, agent, session().id, now())
      await store(task, text, changeFact(task))
      return true
    },
  }
}
