// Every kind of event that decides state, and the whole state they fold to.
import * as z from 'zod'
import { approval, approvalEvents } from '../approval/schema.ts'
import { account, budgetEvents } from '../budget/schema.ts'
import { hostEvents, hostRecord } from '../host/schema.ts'
import { message, messageEvents } from '../message/schema.ts'
import { componentEvents, componentRecord } from '../registry/schema.ts'
import { review, reviewEvents } from '../review/schema.ts'
import { sessionEvents, sessionRecord } from '../session/record/schema.ts'
import { task, taskEvents } from '../task/schema.ts'

/** A noun that gets events of its own adds them here, its record below, and its reducer in the rules beside. */
export const stateEvents = {
  ...hostEvents,
  ...componentEvents,
  ...sessionEvents,
  ...messageEvents,
  ...approvalEvents,
  ...taskEvents,
  ...budgetEvents,
  ...reviewEvents,
} as const
export type StateEventType = keyof typeof stateEvents

export const state = z
  .strictObject({
    host: z.record(z.string(), hostRecord),
    component: z.record(z.string(), componentRecord),
    session: z.record(z.string(), sessionRecord),
    message: z.record(z.string(), message),
    approval: z.record(z.string(), approval),
    task: z.record(z.string(), task),
    budget: z.record(z.string(), account),
    review: z.record(z.string(), review),
  })
  .meta({ id: 'State', description: 'Everything that lives, by noun and id.' })
export type State = z.infer<typeof state>
export type Noun = keyof State
