import { type Attempt, most, type Outcome, type Review, type Setting } from '../schema.ts'
import { failedWords } from '../words/rules.ts'

export const isWorking = ({ outcome, begun }: Attempt): boolean =>
  outcome === 'pending' && begun !== undefined
const isAsked = ({ outcome, begun }: Attempt): boolean => outcome === 'pending' && begun === undefined

/** Whoever is at work now. */
export const working = ({ attempts }: Review): Attempt | undefined => attempts.findLast(isWorking)
/** Asked for, and nobody has come yet. */
export const asked = ({ attempts }: Review): Attempt | undefined => attempts.findLast(isAsked)

export const add = (review: Review, attempt: Attempt): Review => ({
  ...review,
  attempts: [...review.attempts, attempt].slice(-most.attempts),
})

export const put = (review: Review, attempt: Attempt): Review => ({
  ...review,
  attempts: review.attempts.map((each) => (each.id === attempt.id ? attempt : each)),
})

export const end = (attempt: Attempt, outcome: Outcome, at: number, why?: string): Attempt => ({
  ...attempt,
  outcome: outcome === 'no_decision' && attempt.slipped ? 'bad_session_id' : outcome,
  ended: at,
  ...(why !== undefined && { why }),
})

/** All that is open has ended: who was at work as told, who never came did not. */
export const close = (review: Review, outcome: Outcome, at: number, why: string): Review => {
  if (!review.attempts.some((each) => each.outcome === 'pending')) return review
  const attempts = review.attempts.map((each) => {
    if (each.outcome !== 'pending') return each
    return isWorking(each) ? end(each, outcome, at, why) : end(each, 'not_spawned', at)
  })
  return { ...review, attempts }
}

/** Twice, for a second opinion; and what starting and ending may take. */
const patience = ({ reviewer }: Setting): number => 2 * reviewer.deadline_seconds * 1000 + 60_000

/** Without reviewers that nobody can be waiting for: whoever ran them died, and nobody told. */
export const current = (review: Review, setting: Setting, now: number): Review => {
  const late = working(review)
  if (late?.begun === undefined || now < late.begun + patience(setting)) return review
  const why = 'it took too long'
  const state = review.state === 'blocked' ? 'pending' : review.state
  return { ...put(review, end(late, 'no_decision', now, why)), state, tell: failedWords(why) }
}
