// An agent whose session is over and whose keeper is gone: there to be looked at, and to be resumed.
import { failure } from '../base/error/fail.ts'
import { stateOf } from '../session/rules.ts'
import type { Session } from '../session/schema.ts'
import { type TasksOptions, tasksOf } from '../task/terminal.ts'
import { type AgentFacts, entryOf } from './entry/rules.ts'
import type { Live } from './live.ts'

export const pastOf = (
  facts: AgentFacts,
  session: Session,
  subject: string,
  around: Pick<TasksOptions, 'book' | 'desk' | 'driver' | 'now' | 'written' | 'log'>,
): Live => {
  const { desk, now } = around
  const box = desk.box(facts.name)
  const keeper = (): never => {
    throw failure('keeper_gone', { agent: facts.name, why: 'its session is over' })
  }
  const tasks = tasksOf({
    ...around,
    agent: facts.name,
    session: () => session,
    keeper,
    tell: () => {},
    prompt: async () => undefined,
  })
  // What was open is over with its session; nothing is left to be followed.
  tasks.close()
  return {
    name: facts.name,
    queue: false,
    subject,
    keeper,
    tasks,
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
  }
}
