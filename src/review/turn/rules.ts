// What people and the session itself do to a review.
import { clip } from '../../base/text/rules.ts'
import { close, working } from '../attempt/rules.ts'
import { reset } from '../breaker/rules.ts'
import { addPrompt, isOwed } from '../record/rules.ts'
import { type Heard, most, type Review, type Setting, type Spoken } from '../schema.ts'

/** The first word, and nothing else: `#rozfoo` is another word. */
export const asksForReview = (text: string): boolean => /^\s*#roz(?!\S)/.test(text)

export const hearStart = (review: Review, source: string): Heard<'started'> => {
  const trace = [{ type: 'review.session_started' as const, data: { source } }]
  // Another conversation: what was approved in the last one is not; what is owed stays owed.
  if (source !== 'clear') return { review, answer: undefined, trace }
  const { approval: _approval, ...rest } = reset(review)
  const state = rest.state === 'approved' ? 'idle' : rest.state
  return { review: { ...rest, state }, answer: undefined, trace }
}

/** While a reviewer is at work the state stays: its verdict still counts for what it looked at. */
const owed = (review: Review, cause: 'prompt' | 'always'): Review => {
  const { tripped: _tripped, ...rest } = review
  const busy = working(review) !== undefined
  return { ...rest, state: busy ? 'blocked' : 'pending', cause, ...(busy && { again: true }) }
}

const notOwed = (review: Review): Review => {
  if (review.state === 'approved') return { ...review, state: 'idle' }
  return review.state === 'blocked' && working(review) === undefined
    ? { ...review, state: 'pending' }
    : review
}

/** Where all work is reviewed, that is too; as a request it does not count. */
const hearOthers = (review: Review, { work, text }: Spoken, { mode }: Setting): Heard<'prompted'> => {
  if (!work || mode !== 'always' || isOwed(review)) return { review, answer: undefined, trace: [] }
  const data = { text: clip(text, 200), review: true }
  const trace = [{ type: 'review.prompt_received' as const, data }]
  return { review: { ...review, state: 'pending', cause: 'always' }, answer: undefined, trace }
}

/** Only what a person says counts: a notification or a message of an agent is no new request. */
export const hearPrompt = (
  review: Review,
  spoken: Spoken,
  setting: Setting,
  now: number,
): Heard<'prompted'> => {
  const { text, person } = spoken
  const { mode } = setting
  if (!person) return hearOthers(review, spoken, setting)
  const wanted = mode === 'always' || (mode === 'prompt' && asksForReview(text))
  const prompt = { text: clip(text, most.prompt), at: now, ...(text.length > most.prompt && { cut: true }) }
  const counted: Review = {
    ...review,
    blocks: 0,
    turn: review.turn + 1,
    prompts: addPrompt(review.prompts, prompt),
  }
  const next = wanted ? owed(counted, mode === 'always' ? 'always' : 'prompt') : notOwed(counted)
  const data = { text: clip(text, 200), review: wanted }
  return { review: next, answer: undefined, trace: [{ type: 'review.prompt_received', data }] }
}

/** What the session was trusted with ends with it; a reviewer inside it too. */
export const hearEnd = (review: Review, reason: string, now: number): Heard<'ended'> => {
  const trace = [{ type: 'review.session_ended' as const, data: { reason } }]
  const inside = working(review)?.by !== 'process'
  const closed = inside ? close(review, 'no_decision', now, 'the session ended') : review
  const { approval } = closed
  const over =
    approval === undefined || approval.over ? closed : { ...closed, approval: { ...approval, over: true } }
  const next: Review = inside && over.state === 'blocked' ? { ...over, state: 'pending' } : over
  return { review: next, answer: undefined, trace }
}
