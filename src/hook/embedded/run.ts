// The gate for plain Claude Code, where no host runs: the same desk, on a file of its own. Fails closed.
import { AgencyError } from '../../base/error/fail.ts'
import { readHook } from '../../driver/claude/hook/rules.ts'
import type { HookEvent } from '../../driver/schema.ts'
import { isOff } from '../../review/setting/rules.ts'
import { type Reply, refuse } from '../command/rules.ts'
import { toolAsked } from './gate.ts'
import { block, context, opinionsText, reviewer, reviewerIn, silence, stopReply } from './rules.ts'
import type { Env, Json } from './schema.ts'
import { openSession, type Session } from './session.ts'

type Answers = {
  readonly [Kind in HookEvent['kind']]?: (
    session: Session,
    event: Extract<HookEvent, { kind: Kind }>,
    input: Json,
  ) => Promise<Reply>
}

const tried = async (session: Session, id: string, tool: string, ok: boolean): Promise<Reply> => {
  await (await session.reviews(false))?.completed({ id, tool, ok })
  return silence
}

const answers: Answers = {
  session_started: async (session, { source }) => {
    const { opinionsOn } = await import('./opinions.ts')
    await (await session.reviews(false))?.started(source)
    return context('SessionStart', opinionsText(opinionsOn(session.env)))
  },
  prompted: async (session, { text, origin }) => {
    const person = origin === 'person'
    const begins = person && (session.setting.mode === 'always' || /^#roz(\s|$)/.test(text.trim()))
    await (await session.reviews(begins))?.prompted({ text, person })
    return silence
  },
  tool_asked: toolAsked,
  tool_done: (session, { call }) => tried(session, call.id, call.tool, true),
  tool_failed: (session, { call }) => tried(session, call.id, call.tool, false),
  subagent_started: async (session, { subagent }) => {
    if (subagent?.type !== reviewer) return silence
    const told = await (await session.reviews(false))?.spawned({ id: subagent.id })
    const command = (text: string): string => text.replaceAll('roz decide ', `${session.program} decide `)
    return context('SubagentStart', told && `The review gate:\n${command(told)}`)
  },
  subagent_ended: async (session, { subagent }) => {
    if (subagent?.type !== reviewer) return silence
    const left = await (await session.reviews(false))?.left({ id: subagent.id })
    return left?.kind === 'block' ? block(left.reason) : silence
  },
  turn_ended: async (session, { again }, input) => {
    const desk = await session.reviews(session.setting.mode === 'always')
    const background = reviewerIn(input.background_tasks)
    const stop = await desk?.stop({ again, background, tree: await session.tree() })
    if (stop?.kind === 'review') return block('A review is needed, and no host runs that could make one.')
    return stop === undefined ? silence : stopReply(stop)
  },
  session_ended: async (session, { reason }) => {
    await (await session.reviews(false))?.ended(reason)
    return silence
  },
}

const why = (error: unknown): string => {
  if (!(error instanceof AgencyError)) return error instanceof Error ? error.message : String(error)
  const { message, next } = error.words
  return [message, ...error.problems, next].join(' ').replace(/\.$/, '')
}

const answered = async (event: HookEvent, input: Json, env: Env): Promise<Reply> => {
  const answer = answers[event.kind] as
    | ((session: Session, event: HookEvent, input: Json) => Promise<Reply>)
    | undefined
  if (answer === undefined) return silence
  const session = await openSession(event, env)
  try {
    return isOff(session.setting) ? silence : await answer(session, event, input)
  } finally {
    await session.close()
  }
}

export const runEmbedded = async (name: string, input: Json, env: Env): Promise<Reply> => {
  // A shell of the agent is marked so by newer versions of Claude Code; its hooks are not.
  if (/_agent$/.test(env.AI_AGENT ?? '')) return refuse(name, 'a hook event was played by hand', input)
  const read = readHook({ hook_event_name: name, ...input })
  if (!read.ok) return refuse(name, read.problem, input)
  try {
    return await answered(read.event, input, env)
  } catch (error) {
    return refuse(name, why(error), input)
  }
}
