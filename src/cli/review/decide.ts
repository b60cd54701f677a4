// `agency review decide`: the verdict of a person, or of the reviewer inside a session, who has a secret. Whoever else is
// in an agent's shell is refused, whatever can or cannot be reached; where the session is known the try is recorded.
import { userInfo } from 'node:os'
import { AgencyError, fail, failure } from '../../base/error/fail.ts'
import type { Verdict } from '../../review/schema.ts'
import { hostFor } from '../agent/ask.ts'
import type { Call, Handler } from '../io.ts'
import { type Deciding, type Found, findReview, gather, hostSource } from './source.ts'
import { toldOf } from './told/rules.ts'

const verdicts: readonly Verdict[] = ['COMPLETE', 'ISSUES']

/** Set in the shells of our agents, and of Claude Code everywhere. */
const agentIn = ({ env }: Call['io']): string | undefined =>
  env.AGENCY_ACTOR || (env.CLAUDECODE ? 'Claude Code' : undefined)

const verdictOf = (value: string): Verdict =>
  verdicts.find((one) => one === value.toUpperCase()) ??
  fail('bad_value', {
    value,
    what: 'the argument verdict',
    expected: 'COMPLETE or ISSUES',
    hint: 'Type `agency review decide --help`.',
  })

const bodyOf = (call: Call): Deciding => {
  const { summary = '', message, opinions, secret } = call.values
  const verdict = verdictOf(call.values.verdict ?? '')
  const who = agentIn(call.io) === undefined && secret === undefined
  return {
    verdict,
    summary,
    ...(message !== undefined && { message }),
    ...(opinions !== undefined && { opinions }),
    ...(who ? { by: userInfo().username } : { secret: secret ?? '' }),
  }
}

/** For a person a host is started where its agents wait for one; never because an agent says so. */
const find = async (call: Call, which: string, mayStart: boolean): Promise<Found> => {
  const sources = await gather(call)
  try {
    return await findReview(sources, which)
  } catch (error) {
    const unknown = error instanceof AgencyError && error.code === 'review_unknown'
    if (!unknown || !mayStart || !sources.missing) throw error
    return findReview({ all: [hostSource(await hostFor(sources.root, call))] }, which)
  }
}

export const run: Handler = async (call) => {
  const body = bodyOf(call)
  const which = call.values.session ?? ''
  const intruder = body.secret === '' ? agentIn(call.io) : undefined
  try {
    const { source, session } = await find(call, which, body.by !== undefined)
    const { review, agent } = await source.decide(session, body)
    return {
      data: { where: source.where, review, ...(agent !== undefined && { agent }) },
      lines: [toldOf(review)],
    }
  } catch (error) {
    const known = error instanceof AgencyError && error.code === 'review_not_permitted'
    if (intruder === undefined || known) throw error
    const why = `${intruder} has no secret of a reviewer`
    throw failure('review_not_permitted', { session: which, why, cause: error })
  }
}
