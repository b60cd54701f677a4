// The gate for plain Claude Code, where no host runs: the same desk, on a file of its own. Fails closed.
import { AgencyError } from '../../base/error/fail.ts'
import { isOff } from '../../review/setting/rules.ts'
import { type Reply, refuse } from '../command/rules.ts'
import { readEvent, reviewer } from './event/rules.ts'
import type { Event } from './event/schema.ts'
import { block, context, mayConcern, opinionsText, reviewerText, silence, stopReply } from './rules.ts'
import type { Env, Json } from './schema.ts'
import { openSession, type Session } from './session.ts'

type Answers = {
  readonly [Kind in Event['kind']]: (
    session: Session,
    event: Extract<Event, { kind: Kind }>,
  ) => Promise<Reply>
}

const answers: Answers = {
  started: async (session, { source }) => {
    const { opinionsOn } = await import('./opinions.ts')
    await (await session.reviews(session.rooted))?.started(source)
    return context('SessionStart', opinionsText(opinionsOn(session.env)))
  },
  prompted: async ({ setting, reviews }, { text, person }) => {
    const { asksForReview } = await import('../../review/turn/rules.ts')
    const begins = person && (setting.mode === 'always' || asksForReview(text))
    await (await reviews(begins))?.prompted({ text, person })
    return silence
  },
  asked: async (session, event) => {
    if (!mayConcern(session.setting, event)) return silence
    const { hold } = await import('./gate.ts')
    return hold(session, event)
  },
  done: async ({ reviews }, { id, tool, ok }) => {
    const desk = await reviews(false)
    // Sessions that nobody asked to review leave no trace.
    if ((await desk?.state()) !== undefined) await desk?.completed({ id, tool, ok })
    return silence
  },
  spawned: async ({ reviews, program, tree }, { session, subagent }) => {
    if (subagent?.type !== reviewer) return silence
    const desk = await reviews(false)
    const told = await desk?.spawned({ id: subagent.id, tree: desk && (await tree()) })
    return context('SubagentStart', told && reviewerText(told, program, session))
  },
  left: async ({ reviews }, { subagent }) => {
    if (subagent?.type !== reviewer) return silence
    const left = await (await reviews(false))?.left({ id: subagent.id })
    return left?.kind === 'block' ? block(left.reason) : silence
  },
  stopped: async ({ setting, reviews, tree }, { again, background }) => {
    const desk = await reviews(setting.mode === 'always')
    const stop = await desk?.stop({ again, background, tree: desk && (await tree()) })
    if (stop?.kind === 'review') return block('A review is needed, and no host runs that could make one.')
    return stop === undefined ? silence : stopReply(stop)
  },
  ended: async ({ reviews }, { reason }) => {
    await (await reviews(false))?.ended(reason)
    return silence
  },
}

const answered = async (event: Event, env: Env): Promise<Reply> => {
  const session = await openSession(event, env)
  const answer = answers[event.kind] as (session: Session, event: Event) => Promise<Reply>
  try {
    return isOff(session.setting) ? silence : await answer(session, event)
  } finally {
    await session.close()
  }
}

const why = (error: unknown): string => {
  if (!(error instanceof AgencyError)) return error instanceof Error ? error.message : String(error)
  const { message, next } = error.words
  return [message, ...error.problems, next].join(' ').replace(/\.$/, '')
}

export const runEmbedded = async (name: string, input: Json, env: Env): Promise<Reply> => {
  // Newer versions of Claude Code mark the shells of an agent so, and not its hooks.
  if (/_agent$/.test(env.AI_AGENT ?? '')) return refuse(name, 'a hook event was played by hand', input)
  const read = readEvent(name, input)
  if (read === undefined) return silence
  if ('problem' in read) return refuse(name, read.problem, input)
  try {
    return await answered(read.event, env)
  } catch (error) {
    return refuse(name, why(error), input)
  }
}
