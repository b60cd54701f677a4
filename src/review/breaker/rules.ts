// Too many blocks in a row free the end of the turn, never a gate.
import type { Review, Setting } from '../schema.ts'

export const isSpent = ({ blocks }: Review, { circuit_breaker }: Setting): boolean =>
  blocks >= circuit_breaker.max_blocks

/** A clock that went back counts as cooled: then the work is reviewed again, which is the safe side. */
export const isCooled = ({ tripped }: Review, { circuit_breaker }: Setting, now: number): boolean =>
  tripped === undefined || now < tripped || now >= tripped + circuit_breaker.cooldown_seconds * 1000

export const trip = (review: Review, now: number): Review => ({
  ...review,
  state: 'escalated',
  tripped: now,
})

/** Stop is refused once more, from the beginning. */
export const reset = ({ tripped: _tripped, ...review }: Review): Review => ({
  ...review,
  state: review.state === 'escalated' ? 'pending' : review.state,
  blocks: 0,
})
