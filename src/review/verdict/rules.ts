// Who may decide, and what a verdict does.
import { clip, oneLine } from '../../base/text/rules.ts'
import { close, end, isWorking, put } from '../attempt/rules.ts'
import { addDecision, isOwed } from '../record/rules.ts'
import type { Approval, Attempt, Decider, Decision, Heard, Refusal, Review, Said } from '../schema.ts'
import { most } from '../schema.ts'
import { issuesWords } from '../words/rules.ts'

/** More than anybody tries by mistake: what is counted is kept for ever. */
const mostRefused = 1_000

const attemptOf = (review: Review, by: Decider): Attempt | undefined => {
  if (by.kind === 'person') return undefined
  return review.attempts.find(
    (each) =>
      each.by === by.kind &&
      isWorking(each) &&
      (by.kind === 'process' ? each.id === by.attempt : each.secret === by.secret),
  )
}

const refusalOf = (review: Review, by: Decider, attempt: Attempt | undefined): Refusal | undefined => {
  if (by.kind === 'person') return isOwed(review) ? undefined : 'not_pending'
  return attempt === undefined ? 'not_permitted' : undefined
}

/** What the work was when the reviewer began to look: what changed since, it may not have seen. */
const treeOf = (said: Said, attempt: Attempt | undefined): string | undefined => attempt?.tree ?? said.tree

const decisionOf = (
  said: Said,
  by: Decider,
  attempt: Attempt | undefined,
  review: Review,
  now: number,
): Decision => {
  const { message, opinions, cost_usd, model } = said
  const tree = treeOf(said, attempt)
  const { trigger } = review
  return {
    verdict: said.verdict,
    summary: clip(said.summary, most.summary),
    ...(message !== undefined && { message: clip(message, most.message) }),
    ...(opinions !== undefined && { opinions: clip(opinions, most.opinions) }),
    by: by.kind,
    ...(by.kind === 'person' && { name: oneLine(by.name, 100) }),
    ...(attempt && { attempt: attempt.id }),
    at: now,
    ...(tree !== undefined && { tree }),
    ...(cost_usd !== undefined && { cost_usd }),
    ...(model !== undefined && { model: oneLine(model, 200) }),
    ...(trigger && { tool: trigger.tool, input: trigger.input.sha256 }),
  }
}

/** A prompt that came meanwhile does not void it, but the end of the turn is owed a review of its own. */
const completed = (
  review: Review,
  input: string | undefined,
  tree: string | undefined,
  now: number,
): Review => {
  const { tell: _tell, trigger: _trigger, tripped: _tripped, cause, again, approval: _old, ...rest } = review
  const approval: Approval = {
    at: now,
    since: Math.max(now, review.changed),
    turn: review.turn,
    ...(input !== undefined && { input }),
    ...(tree !== undefined && { tree }),
  }
  const owed = again && cause !== undefined ? { cause } : {}
  return { ...rest, ...owed, state: again ? 'pending' : 'approved', blocks: 0, approval }
}

const found = (review: Review, decision: Decision): Review => {
  const { approval: _approval, again: _again, ...rest } = review
  const state = rest.state === 'escalated' ? 'escalated' : 'pending'
  return { ...rest, state, tell: issuesWords(decision) }
}

const refused = (review: Review, said: Said, by: Decider, why: Refusal): Heard<'decided'> => ({
  review: review.refused >= mostRefused ? review : { ...review, refused: review.refused + 1 },
  answer: why,
  trace: [{ type: 'review.verdict_refused', data: { verdict: said.verdict, by: by.kind, why } }],
})

export const hearVerdict = (review: Review, said: Said, by: Decider, now: number): Heard<'decided'> => {
  const attempt = attemptOf(review, by)
  const refusal = refusalOf(review, by, attempt)
  if (refusal !== undefined) return refused(review, said, by, refusal)
  const decision = decisionOf(said, by, attempt, review, now)
  const settled =
    attempt === undefined
      ? close(review, 'withdrawn', now, 'a person decided')
      : put(review, { ...end(attempt, 'success', now), verdict: said.verdict, blocks: review.blocks })
  const recorded = { ...settled, decisions: addDecision(settled.decisions, decision) }
  const input = attempt === undefined ? review.trigger?.input.sha256 : attempt.input
  const next =
    said.verdict === 'COMPLETE'
      ? completed(recorded, input, treeOf(said, attempt), now)
      : found(recorded, decision)
  const data = { verdict: said.verdict, by: by.kind, summary: oneLine(said.summary, 200) }
  return { review: next, answer: undefined, trace: [{ type: 'review.verdict_given', data }] }
}
