// The one fold of the journal: the store keeps it per subject, a reader of /events keeps it whole.
import { reduceApproval } from '../approval/rules.ts'
import { reduceAccount } from '../budget/account/rules.ts'
import { reduceHost } from '../host/rules.ts'
import type { Event, Kept, Reduce } from '../journal/schema.ts'
import { reduceMessage } from '../message/rules.ts'
import { reduceComponent } from '../registry/rules.ts'
import { reduceReview } from '../review/record/rules.ts'
import { reduceSession } from '../session/record/rules.ts'
import { reduceTask } from '../task/rules.ts'
import type { Noun, State } from './schema.ts'

const reducers = {
  host: reduceHost,
  component: reduceComponent,
  session: reduceSession,
  message: reduceMessage,
  approval: reduceApproval,
  task: reduceTask,
  budget: reduceAccount,
  review: reduceReview,
} as Readonly<Record<Noun, Reduce>>

export const emptyState: State = {
  host: {},
  component: {},
  session: {},
  message: {},
  approval: {},
  task: {},
  budget: {},
  review: {},
}

const isNoun = (word: string): word is Noun => Object.hasOwn(reducers, word)

const split = (subject: string): readonly [noun: string, id: string] => {
  const at = subject.indexOf(':')
  return [subject.slice(0, at), subject.slice(at + 1)]
}

/** A noun of a newer version has no reducer here; its events are kept and change nothing. */
export const reduceOf = (noun: string): Reduce => (isNoun(noun) ? reducers[noun] : (was) => was)

/** The next whole state; what a reader does with each event it gets. */
export const fold = (whole: State, event: Event): State => {
  const [noun, id] = split(event.subject)
  if (event.kind !== 'state' || !isNoun(noun)) return whole
  const { [id]: was, ...others } = whole[noun] as Record<string, unknown>
  const next = reducers[noun](was, event)
  return { ...whole, [noun]: next === undefined ? others : { ...others, [id]: next } }
}

/** The whole state from what the store keeps of each subject. */
export const stateOf = (kept: readonly Kept[]): State => {
  const whole: Record<Noun, Record<string, unknown>> = {
    host: {},
    component: {},
    session: {},
    message: {},
    approval: {},
    task: {},
    budget: {},
    review: {},
  }
  for (const { subject, state } of kept) {
    const [noun, id] = split(subject)
    if (isNoun(noun)) whole[noun][id] = state
  }
  return whole as State
}
