// `agency session list`: the sessions on disk, also of agents that no host knows any more.
import type { AgentEntry } from '../../agent/api.ts'
import { namePattern } from '../../base/name/schema.ts'
import { lookAtSessions, type Seen } from '../../session/gc/look.ts'
import { agentsOf } from '../agent/ask.ts'
import { lookFor } from '../host/ask.ts'
import type { Handler } from '../io.ts'
import { table } from '../output/rules.ts'

const stateOf = (
  { kind, alive, exit }: Seen,
  known: AgentEntry | undefined,
): { state: string; text: string } => {
  if (known !== undefined) return { state: known.state, text: known.text }
  if (kind === 'unreadable') return { state: 'unknown', text: 'cannot be read' }
  if (alive !== undefined) return { state: 'running', text: alive }
  if (exit === undefined) return { state: 'lost', text: 'lost' }
  return { state: 'exited', text: `exited (${exit.signal ?? `code ${exit.code ?? '?'}`})` }
}

/** What lies there and is none is named by `agency session gc`. */
const isSession = ({ agent, kind }: Seen): boolean =>
  namePattern.test(agent) && kind !== 'link' && kind !== 'other'

export const run: Handler = async (call) => {
  const { root, client } = await lookFor(call)
  const agents = client === undefined ? [] : await agentsOf(client)
  const seen = (await lookAtSessions(root)).filter(isSession)
  const sessions = seen.map((each) => {
    const { agent, directory, file, exit } = each
    const known = agents.find(({ name }) => name === agent)
    return {
      agent,
      session: file?.session_id ?? known?.session,
      role: file?.role ?? known?.role,
      pod: file?.pod ?? known?.pod,
      overrides: file?.overrides ?? {},
      forked_from: file?.forked_from,
      launched_at: file?.launched_at ?? known?.launched_at,
      ended_at: each.alive === undefined ? exit?.at : undefined,
      ...stateOf(each, known),
      directory,
    }
  })
  const rows = sessions.map((each) => [
    each.agent,
    each.role ?? '-',
    each.pod ?? '-',
    each.launched_at?.replace(/\.\d+Z$/, 'Z') ?? '-',
    each.text,
  ])
  const lines =
    sessions.length === 0
      ? ['No sessions. Type `agency run --role ROLE` to launch an agent.']
      : table([['AGENT', 'ROLE', 'POD', 'LAUNCHED', 'STATE'], ...rows])
  return { data: { root, up: client !== undefined, sessions }, lines }
}
