// What becomes of a review. An agent may say what it likes: only a verdict of somebody else opens anything.
//
//            #roz, always          stopped, uncounted
//   idle ──────────────▶ pending ◀──────────────────────▶ a reviewer is at work (blocked)
//     ▲    gated call      │ ▲  ▲                              │            │
//     │                    │ │  └──────── ISSUES, nothing ─────┘            │ COMPLETE
//     │       end of turn  ▼ │ prompt, begin                                ▼
//     │                  blocked ─────────────────────────────────────▶ approved
//     │                    │ max_blocks were shown                          │
//     │                    ▼                                                │ gated call that it does not
//     │                 escalated: Stop is free, gates stay closed          │ cover, #roz, changed work
//     │                    └──── cooldown, #roz ──▶ pending ◀───────────────┘
//     └───────────────────────────── a prompt without #roz ─────────────────┘
//
// The approval is a thing of its own: it lets gated calls pass within its scope. A call that it does not cover voids
// it. What is compared are counts of prompts, hashes and secrets, not times; a time can only make it void.
//
//   a prompt of a person…      …while nobody reviews         …while a reviewer is at work
//   for the gates, scope prompt  voids the approval            the verdict that comes holds until the next prompt
//   for Stop, #roz or always     a review is owed              one more is owed after the verdict
//   for Stop, any other          what was owed stays owed      what was owed is settled by the verdict

import { current } from './attempt/rules.ts'
import { hearGated } from './gated/rules.ts'
import { hearBegin, hearFailure, hearLeave, hearSlip, hearSpawn } from './reviewer/rules.ts'
import type { Answers, Heard, Review, Setting, Signal } from './schema.ts'
import { hearStop } from './stop/rules.ts'
import { hearEnd, hearPrompt, hearStart } from './turn/rules.ts'
import { hearVerdict } from './verdict/rules.ts'

const step = (review: Review, signal: Signal, setting: Setting, now: number): Heard<keyof Answers> => {
  switch (signal.from) {
    case 'started':
      return hearStart(review, signal.source)
    case 'prompted':
      return hearPrompt(current(review, setting, now), signal, setting, now)
    case 'gated':
      return hearGated(current(review, setting, now), signal, setting, now)
    case 'stopped':
      return hearStop(current(review, setting, now), signal, setting, now)
    case 'begun':
      return hearBegin(review, signal, now)
    case 'failed':
      return hearFailure(review, signal, now)
    case 'spawned':
      return hearSpawn(review, signal, setting, now)
    case 'left':
      return hearLeave(review, signal, now)
    case 'decided':
      return hearVerdict(review, signal.said, signal.by, now)
    case 'slipped':
      return hearSlip(review, signal)
    case 'compacted':
      return {
        review: { ...review, compacted: review.compacted + signal.removed },
        answer: undefined,
        trace: [{ type: 'review.trace_compacted', data: { removed: review.compacted + signal.removed } }],
      }
    case 'ended':
      return hearEnd(review, signal.reason, now)
  }
}

/** The same review, by identity, where nothing changed. */
export const hear = <From extends Signal['from']>(
  review: Review,
  signal: Extract<Signal, { from: From }>,
  setting: Setting,
  now: number,
): Heard<From> => {
  const heard = step(review, signal, setting, now) as Heard<From>
  if (heard.review === review) return heard
  // Its time never goes back, whatever the clock does.
  return { ...heard, review: { ...heard.review, changed: Math.max(now, review.changed) } }
}
