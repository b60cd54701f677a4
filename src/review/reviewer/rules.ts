// Who reviews: started, asked for, come, gone.
import { oneLine } from '../../base/text/rules.ts'
import { add, asked, close, end, put } from '../attempt/rules.ts'
import { type Attempt, type Heard, most, type Review, type Setting, type Signal, skew } from '../schema.ts'
import { failedWords, undecidedWords } from '../words/rules.ts'

type From<Name extends Signal['from']> = Extract<Signal, { from: Name }>

/** How often a reviewer that wants to leave without a verdict is held. */
const mostHeld = 2

const busy = (review: Review): Review =>
  review.state === 'escalated' || review.state === 'blocked' ? review : { ...review, state: 'blocked' }
const left = (review: Review): Review =>
  review.state === 'blocked' ? { ...review, state: 'pending' } : review

/** The newest counts: one from before, whose end nobody saw, can decide no more. */
export const hearBegin = (review: Review, { attempt: id }: From<'begun'>, now: number): Heard<'begun'> => {
  const { trigger } = review
  const attempt: Attempt = {
    id,
    by: 'process',
    at: now,
    begun: now,
    blocks: review.blocks,
    outcome: 'pending',
    ...(trigger && { input: trigger.input.sha256 }),
  }
  const next = busy(add(close(review, 'withdrawn', now, 'another reviewer was started'), attempt))
  return {
    review: next,
    answer: attempt,
    trace: [{ type: 'review.reviewer_started', data: { attempt: id, by: 'process' } }],
  }
}

export const hearFailure = (
  review: Review,
  { attempt: id, why }: From<'failed'>,
  now: number,
): Heard<'failed'> => {
  const found = review.attempts.find((each) => each.id === id && each.outcome === 'pending')
  if (found === undefined) return { review, answer: undefined, trace: [] }
  const ended = put(review, end(found, 'no_decision', now, oneLine(why, most.why)))
  return {
    review: left({ ...ended, tell: failedWords(why) }),
    answer: undefined,
    trace: [{ type: 'review.reviewer_left', data: { attempt: id, why: oneLine(why, 200) } }],
  }
}

/**
 * Answers whether its secret counts: where nothing waits for a verdict there is none to give. Where a process reviews
 * there is none either: that a subagent has come is only what the agent says, and it would be given the secret.
 */
export const hearSpawn = (
  review: Review,
  { attempt, reviewer, secret, tree }: From<'spawned'>,
  setting: Setting,
  now: number,
): Heard<'spawned'> => {
  const owed = review.state !== 'idle' && review.state !== 'approved'
  if (!owed || setting.reviewer.kind !== 'subagent') return { review, answer: false, trace: [] }
  const waiting = asked(review)
  const come: Attempt = {
    ...(waiting ?? { id: attempt, by: 'subagent', at: now, blocks: review.blocks, outcome: 'pending' }),
    reviewer,
    secret,
    begun: now,
    ...(tree !== undefined && { tree }),
    ...(review.trigger && { input: review.trigger.input.sha256 }),
  }
  const rest = { ...review, attempts: review.attempts.filter((each) => each !== waiting) }
  const alone = close(rest, 'withdrawn', now, 'another reviewer was started')
  return {
    review: busy(add(alone, come)),
    answer: true,
    trace: [{ type: 'review.reviewer_started', data: { attempt: come.id, by: 'subagent', reviewer } }],
  }
}

/** Its verdict was given while it was at work, as far as clocks agree. */
const isTimely = ({ decisions }: Review, { id, begun = 0 }: Attempt, now: number): boolean =>
  decisions.some(({ attempt, at }) => attempt === id && at >= begun - skew && at <= now + skew)

const undone = ({ approval: _approval, ...review }: Review, attempt: Attempt, now: number): Review => {
  const why = 'the time of its verdict is not that of its work'
  const state = review.state === 'approved' ? 'pending' : review.state
  return put({ ...review, state }, { ...end(attempt, 'no_decision', now, why) })
}

export const hearLeave = (review: Review, { reviewer }: From<'left'>, now: number): Heard<'left'> => {
  const pass = { kind: 'pass' as const }
  const found = review.attempts.findLast((each) => each.reviewer === reviewer)
  if (found === undefined) return { review, answer: pass, trace: [] }
  const trace = (why: string): Heard<'left'>['trace'] => [
    { type: 'review.reviewer_left', data: { attempt: found.id, reviewer, why } },
  ]
  if (found.outcome === 'success') {
    if (isTimely(review, found, now)) return { review, answer: pass, trace: trace('decided') }
    return { review: undone(review, found, now), answer: pass, trace: trace('its verdict is void') }
  }
  if (found.outcome !== 'pending') return { review, answer: pass, trace: trace(found.outcome) }
  const held = found.asked ?? 0
  if (held < mostHeld) {
    const next = put(review, { ...found, asked: held + 1 })
    return { review: next, answer: { kind: 'block', reason: undecidedWords }, trace: trace('held') }
  }
  return {
    review: left(put(review, end(found, 'no_decision', now))),
    answer: pass,
    trace: trace('no decision'),
  }
}

export const hearSlip = (review: Review, { secret }: From<'slipped'>): Heard<'slipped'> => {
  const found = review.attempts.find((each) => each.outcome === 'pending' && each.secret === secret)
  const next = found === undefined || found.slipped ? review : put(review, { ...found, slipped: true })
  return { review: next, answer: undefined, trace: [] }
}
