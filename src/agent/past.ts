// An agent whose session is over and whose keeper is gone: there to be looked at, and to be resumed.
import { failure } from '../base/error/fail.ts'
import { claude } from '../driver/claude/driver.ts'
import { stateOf } from '../session/rules.ts'
import type { Session } from '../session/schema.ts'
import { type TasksOptions, tasksOf } from '../task/terminal.ts'
import { type AgentFacts, entryOf } from './entry/rules.ts'
import type { Live } from './live.ts'

type Around = Pick<TasksOptions, 'book' | 'desk' | 'now' | 'written' | 'log' | 'standing'>
/** Nothing is typed into it any more. */
const reader = claude('2.1.325')

export const pastOf = (facts: AgentFacts, session: Session, subject: string, around: Around): Live => {
  const { desk, now } = around
  const box = desk.box(facts.name)
  const keeper = (): never => {
    throw failure('keeper_gone', { agent: facts.name, why: 'its session is over' })
  }
  const tasks = tasksOf({
    ...around,
    driver: reader,
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
    renew: () => {},
    runs: () => {},
    reported: Promise.resolve(),
    end: async () => null,
    over: Promise.resolve(),
    leave: async () => {},
  }
}

/** The same, known by the role that it will be resumed with. */
export const restingAs = (live: Live, role: string, around: Around): Live => {
  const { name, pod, cwd, launched_at: launched } = live.entry()
  return pastOf({ name, role, pod, cwd, launched }, live.session(), live.subject, around)
}
