// A tool call that a gate may be about, or that speaks for the gate. Loaded for those only: it brings a shell's grammar.
import { AgencyError } from '../../base/error/fail.ts'
import { othersOf } from '../../permission/alias/look.ts'
import { callOf, gatedBy } from '../../review/gate/rules.ts'
import type { Reply } from '../command/rules.ts'
import { reviewer } from './event/rules.ts'
import type { Event } from './event/schema.ts'
import { forbidden, isReviewersOwn } from './own/rules.ts'
import { allow, deny, gateReply, silence } from './rules.ts'
import type { Session } from './session.ts'

type Asked = Extract<Event, { kind: 'asked' }>

const words = {
  decide:
    'A verdict is not permitted here: only the reviewer (roz:roz) gives it, with its own secret. This was recorded.',
  hook: 'Hook events come from Claude Code; one that is played by hand is not permitted.',
} as const

/** The try is kept as one that was refused. */
const record = async (session: Session): Promise<void> => {
  const reviews = await session.reviews(false)
  const said = { verdict: 'COMPLETE', summary: 'tried by the agent itself' } as const
  try {
    await reviews?.decide(said, { kind: 'subagent', secret: '' })
  } catch (error) {
    // That is what becomes of a verdict without a secret.
    if (!(error instanceof AgencyError)) throw error
  }
}

/** Who is needed to open a gate is never held back by one. */
const spawns = ({ tool, input }: Asked): boolean =>
  (tool === 'Agent' || tool === 'Task') &&
  (input as { subagent_type?: unknown } | null)?.subagent_type === reviewer

export const hold = async (session: Session, event: Asked): Promise<Reply> => {
  const { id, tool, input } = event
  const call = callOf(tool, input)
  const reviews = event.subagent?.type === reviewer
  if (reviews && isReviewersOwn(call, session.program))
    return allow('This gives the verdict of the review, or shows what is asked, and does nothing else.')
  const own = reviews ? undefined : forbidden(call)
  if (own === 'decide') await record(session)
  if (own !== undefined) return deny(words[own])
  const { setting, place, env } = session
  const others = setting.gates.tools.length === 0 ? [] : await othersOf(call, place, env.PATH ?? '')
  const gated = gatedBy(setting.gates, call, place, others)
  if (gated === undefined || spawns(event)) return silence
  if (reviews)
    return deny(`A reviewer makes no call that is gated (${gated.pattern}). Look in another way, and decide.`)
  const desk = await session.reviews(true)
  const gate = await desk?.gate({ id, tool, input }, { place, tree: await session.tree() })
  return gate === undefined ? deny('The gate could not be asked.') : gateReply(gate)
}
