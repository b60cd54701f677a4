// A call that fits a gate: passed by an approval that holds for it, else stopped.

import { add, asked, working } from '../attempt/rules.ts'
import { isOpen } from '../gate/rules.ts'
import { isOwed } from '../record/rules.ts'
import type { Heard, Review, Setting, Signal } from '../schema.ts'
import { gateWords } from '../words/rules.ts'

type Gated = Extract<Signal, { from: 'gated' }>

/** The template of an attempt that a gate has asked for. */
export const gateTemplate = 'gate'

const passed = (review: Review, { call, tool, input, pattern }: Gated, setting: Setting): Heard<'gated'> => {
  const scope = setting.gates.approval_scope
  const data = { tool, pattern, sha256: input.sha256, reason: `approved for this ${scope}` }
  const { approval } = review
  // Only this scope is used up.
  const uses = scope === 'tool' && approval !== undefined && approval.used !== call
  const next = uses ? { ...review, approval: { ...approval, used: call } } : review
  return { review: next, answer: { kind: 'pass' }, trace: [{ type: 'review.gate_allowed', data }] }
}

const needOf = (review: Review, { reviewer }: Setting): 'begin' | 'wait' | 'spawn' | 'none' => {
  if (working(review) !== undefined) return 'wait'
  if (reviewer.kind === 'subagent') return 'spawn'
  return review.tell === undefined ? 'begin' : 'none'
}

/**
 * An older COMPLETE is void: whoever needs a gate has done more than was looked at. One for another call alone stays:
 * of two calls at once each would void the other's for ever.
 */
const keptApproval = ({ approval }: Review, { gates }: Setting) =>
  gates.approval_scope === 'tool' && approval !== undefined ? { approval } : {}

const stopped = (
  review: Review,
  { tool, input, pattern, attempt }: Gated,
  setting: Setting,
  now: number,
): Heard<'gated'> => {
  const need = needOf(review, setting)
  const { approval: _approval, tell, ...rest } = review
  const owes = isOwed(rest)
  const owed: Review = {
    ...rest,
    ...keptApproval(review, setting),
    state: owes ? rest.state : 'pending',
    cause: owes ? (rest.cause ?? 'gate') : 'gate',
    // Whoever is at work was asked about the call before: its verdict must not be taken for this one.
    ...(need === 'wait' ? tell !== undefined && { tell } : { trigger: { tool, input, at: now, pattern } }),
  }
  const wanted = need === 'spawn' && asked(owed) === undefined
  const next = wanted
    ? add(owed, {
        id: attempt,
        by: 'subagent',
        template: gateTemplate,
        at: now,
        blocks: owed.blocks,
        outcome: 'pending',
      })
    : owed
  const reason = gateWords(pattern, need, review.session, tell)
  const data = { tool, pattern, sha256: input.sha256, size: input.size, need }
  return {
    review: next,
    answer: { kind: 'closed', pattern, reason, need },
    trace: [{ type: 'review.gate_blocked', data }],
  }
}

export const hearGated = (review: Review, signal: Gated, setting: Setting, now: number): Heard<'gated'> =>
  isOpen(review, signal, setting, now)
    ? passed(review, signal, setting)
    : stopped(review, signal, setting, now)
