// An agent whose session is over and whose keeper is gone: there to be looked at, and to be resumed.
import { failure } from '../base/error/fail.ts'
import type { Box } from '../message/box.ts'
import { stateOf } from '../session/rules.ts'
import type { Session } from '../session/schema.ts'
import { type AgentFacts, entryOf } from './entry/rules.ts'
import type { Live } from './live.ts'

export const pastOf = (
  facts: AgentFacts,
  session: Session,
  subject: string,
  { box, now }: { readonly box: Box; readonly now: () => number },
): Live => ({
  name: facts.name,
  subject,
  keeper: () => {
    throw failure('keeper_gone', { agent: facts.name, why: 'its session is over' })
  },
  session: () => session,
  state: () => stateOf(session),
  entry: () => entryOf(facts, session, {}, box.waiting(), now()),
  telemetry: async () => {},
  drain: () => {},
  runs: () => {},
  reported: Promise.resolve(),
  end: async () => null,
  over: Promise.resolve(),
  leave: async () => {},
})
