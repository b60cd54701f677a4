// Which sessions the journal need not keep in mind. What happened stays in its events; only the record goes.
import { fact } from '../../journal/rules.ts'
import type { Fact } from '../../journal/schema.ts'
import { isOver } from '../../registry/rules.ts'
import type { SessionRecord } from '../record/schema.ts'

export type Known = { readonly id: string; readonly record: SessionRecord }

const latest = (sessions: readonly Known[]): ReadonlyMap<string, string> => {
  const found = new Map<string, Known>()
  for (const one of sessions) {
    const other = found.get(one.record.agent)
    if (other === undefined || one.record.launched >= other.record.launched) found.set(one.record.agent, one)
  }
  return new Map([...found].map(([agent, { id }]) => [agent, id]))
}

/**
 * Those that are over and cannot be resumed: their directory is gone, or another session of the agent has it.
 * `there` are the names of the directories.
 */
export const forgettable = (sessions: readonly Known[], there: ReadonlySet<string>): readonly Known[] => {
  const last = latest(sessions)
  return sessions.filter(
    ({ id, record: { agent, state } }) => isOver(state.name) && !(there.has(agent) && last.get(agent) === id),
  )
}

export const forgetFact = ({ id, record }: Known): Fact =>
  fact('session.forgotten', id, { agent: record.agent })
