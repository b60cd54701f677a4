// The end of a turn: refused until somebody else has said COMPLETE, but not for ever.
import { add, close, working } from '../attempt/rules.ts'
import { isCooled, isSpent, reset, trip } from '../breaker/rules.ts'
import { isBound } from '../gate/rules.ts'
import { isOwed } from '../record/rules.ts'
import type { Heard, Review, Setting, Signal, Stop } from '../schema.ts'
import { filled } from '../template/rules.ts'
import { refusedWords, warningWords } from '../words/rules.ts'

type Stopped = Extract<Signal, { from: 'stopped' }>
type Step = { readonly review: Review; readonly answer: Stop }

const pass = (review: Review): Step => ({ review, answer: { kind: 'pass' } })

const released = (review: Review, setting: Setting): Step => {
  const warning = warningWords(review.blocks, setting)
  return { review, answer: { kind: 'pass', warning, escalated: true } }
}

/** Counted as it is shown. */
const refused = (review: Review, reason: string): Step => {
  const { tell: _tell, ...rest } = review
  return {
    review: { ...rest, state: 'blocked', blocks: review.blocks + 1 },
    answer: { kind: 'block', reason },
  }
}

/** What a reviewer has said is told first; then there is a new review, also after the last block. */
const byProcess = (review: Review, setting: Setting, now: number): Step => {
  if (review.tell === undefined) return { review, answer: { kind: 'review' } }
  if (isSpent(review, setting)) return released(trip(review, now), setting)
  return refused(review, refusedWords(review.tell))
}

const bySubagent = (review: Review, { template, attempt }: Stopped, setting: Setting, now: number): Step => {
  const closed = close(review, 'no_decision', now, 'the turn ended first')
  if (isSpent(closed, setting)) return released(trip(closed, now), setting)
  const text = filled(template, review.session)
  const asking = add(closed, {
    id: attempt,
    by: 'subagent',
    template: template.id,
    at: now,
    blocks: closed.blocks + 1,
    outcome: 'pending',
  })
  return refused(asking, review.tell === undefined ? text : `${review.tell}\n\n${text}`)
}

/** Whether work is owed a review now: a breaker that has cooled, work that changed, mode `always`. */
const awake = (review: Review, { tree }: Stopped, setting: Setting, now: number): Review => {
  if (review.state === 'escalated' && isCooled(review, setting, now)) return reset(review)
  if (review.state === 'idle' && setting.mode === 'always')
    return { ...review, state: 'pending', cause: 'always' }
  if (review.state !== 'approved' || isBound(review, setting, tree)) return review
  const { approval: _approval, ...rest } = review
  return { ...rest, state: 'pending', cause: 'changed' }
}

const step = (review: Review, signal: Stopped, setting: Setting, now: number): Step => {
  if (!isOwed(review)) return pass(review)
  if (review.state === 'escalated') return released(review, setting)
  // No finish: the CLI goes on when the reviewer has left.
  if (signal.background && working(review)?.by === 'subagent') return pass(review)
  if (setting.reviewer.kind === 'process') return byProcess(review, setting, now)
  return bySubagent(review, signal, setting, now)
}

export const hearStop = (
  review: Review,
  signal: Stopped,
  setting: Setting,
  now: number,
): Heard<'stopped'> => {
  const { review: next, answer } = step(awake(review, signal, setting, now), signal, setting, now)
  const { again, background } = signal
  const data = { state: next.state, blocks: next.blocks, answer: answer.kind, again, background }
  return { review: next, answer, trace: [{ type: 'review.stop_called', data }] }
}
