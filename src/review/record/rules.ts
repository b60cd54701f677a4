// What is kept of a review, and the facts that it is folded from.
import { fact } from '../../journal/rules.ts'
import type { Event, Fact } from '../../journal/schema.ts'
import { type Change, type Decision, most, type Prompt, type Review } from '../schema.ts'

export const fresh = (session: string, at: number): Review => ({
  session,
  at,
  changed: at,
  state: 'idle',
  blocks: 0,
  turn: 0,
  prompts: [],
  decisions: [],
  attempts: [],
  refused: 0,
  compacted: 0,
})

/** Somebody has to look before the work counts. */
export const isOwed = ({ state }: Pick<Review, 'state'>): boolean => state !== 'idle' && state !== 'approved'

/** The newest, as far as there is room for them; the last one always. */
export const addPrompt = (before: readonly Prompt[], prompt: Prompt): Prompt[] => {
  const all = [...before, prompt]
  let room = most.prompts
  const first = all.findLastIndex(({ text }, place) => {
    room -= text.length
    return room < 0 && place < all.length - 1
  })
  return all.slice(first + 1)
}

const short = (text: string): string => (text.length > most.past ? `${text.slice(0, most.past)}…` : text)

/** The journal has every one whole. */
const past = (decision: Decision): Decision => ({
  ...decision,
  summary: short(decision.summary),
  ...(decision.message !== undefined && { message: short(decision.message) }),
  ...(decision.opinions !== undefined && { opinions: short(decision.opinions) }),
})

export const addDecision = (before: readonly Decision[], decision: Decision): Decision[] => {
  const last = before.at(-1)
  const older = last === undefined ? [] : [...before.slice(0, -1), past(last)]
  return [...older, decision].slice(-most.decisions)
}

export const openFact = (review: Review): Fact => fact('review.opened', review.session, review)
export const forgetFact = (session: string): Fact => fact('review.forgotten', session)

/** A signal adds one prompt and one decision at most. */
export const changeFact = (before: Review, after: Review): Fact | undefined => {
  if (before === after) return undefined
  const keys = new Set([...Object.keys(before), ...Object.keys(after)] as (keyof Review)[])
  const set: Record<string, unknown> = {}
  const gone: string[] = []
  for (const key of keys) {
    if (before[key] === after[key] || key === 'prompts' || key === 'decisions') continue
    if (after[key] === undefined) gone.push(key)
    else set[key] = after[key]
  }
  const change: Change = {
    set,
    ...(gone.length > 0 && { gone }),
    ...(before.prompts !== after.prompts && { prompt: after.prompts.at(-1) }),
    ...(before.decisions !== after.decisions && { decision: after.decisions.at(-1) }),
  } as Change
  return fact('review.changed', after.session, change)
}

const changed = (was: Review, { set, gone = [], prompt, decision }: Change): Review => {
  const kept = Object.entries(was).filter(([key]) => !gone.includes(key))
  return {
    ...(Object.fromEntries(kept) as Review),
    ...(set as Partial<Review>),
    ...(prompt && { prompts: addPrompt(was.prompts, prompt) }),
    ...(decision && { decisions: addDecision(was.decisions, decision) }),
  }
}

export const reduceReview = (was: Review | undefined, event: Event): Review | undefined => {
  if (event.type === 'review.opened') return event.data as Review
  if (event.type === 'review.forgotten') return undefined
  if (was === undefined || event.type !== 'review.changed') return was
  return changed(was, event.data as Change)
}
