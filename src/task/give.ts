// Takes a task for a terminal agent, or says why not. It is stored with its message in one transaction.
import { AgencyError, fail } from '../base/error/fail.ts'
import type { Desk } from '../message/desk.ts'
import { longestText } from '../message/schema.ts'
import type { Session } from '../session/schema.ts'
import type { TaskRequest } from './api.ts'
import type { Book } from './book.ts'
import { digestOf, idOf } from './id.ts'
import { askedIn, previewOf, queueFact, type Refusal, refusalOf, textOf } from './rules.ts'
import type { Task } from './schema.ts'

export type GiveOptions = {
  readonly agent: string
  readonly book: Book
  readonly desk: Desk
  readonly session: () => Session
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

export const giveOf = ({ agent, book, desk, session, now }: GiveOptions) => {
  let giving: { readonly task: Task; readonly stored: Promise<void> } | undefined

  const store = async (task: Task, text: string): Promise<void> => {
    try {
      await desk.send({ from, to: agent, text, lane: 'normal', id: task.id, along: [queueFact(task)] })
    } catch (error) {
      // Its task is forgotten, its id is not.
      if (error instanceof AgencyError && error.code === 'message_conflict')
        fail('idempotency_conflict', { task: task.id })
      throw error
    }
    book.put(task)
  }

  const checkSession = (wanted: string | null | undefined): void => {
    const { id, ids } = session()
    if (wanted === null || wanted === undefined || wanted === id) return
    if (ids.includes(wanted)) fail('session_past', { agent, session: wanted, current: id })
    fail('not_found', { what: `session ${wanted} of "${agent}"`, see: `Its session is ${id}.` })
  }

  const check = ({ session_id: wanted }: TaskRequest): void => {
    const current = book.open(agent)[0] ?? giving?.task
    const refusal = refusalOf(session(), current?.id, now())
    if (refusal !== undefined) refuse(agent, refusal)
    checkSession(wanted)
  }

  /** Resolves with its id when it is stored. */
  return async (asked: TaskRequest): Promise<string> => {
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
    check(asked)
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
    // No pause between the check and this: of two at once, the second finds the agent busy.
    giving = { task, stored: store(task, textOf(asked)) }
    try {
      await giving.stored
    } finally {
      giving = undefined
    }
    return id
  }
}
