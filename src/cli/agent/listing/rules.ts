// What `agency list` prints: agents by pod, then everything else.
import type { AgentEntry } from '../../../agent/api.ts'
import { span } from '../../../session/summary/rules.ts'
import { componentRows, type Shown } from '../../host/rules.ts'
import { table } from '../../output/rules.ts'

const amount = (tokens: number): string => {
  if (tokens < 1000) return String(tokens)
  return tokens < 1_000_000 ? `${(tokens / 1000).toFixed(1)}k` : `${(tokens / 1_000_000).toFixed(1)}M`
}

const header = ['AGENT', 'STATE', 'FOR', 'ROLE', 'TOKENS', 'COST', 'QUEUED', 'CWD']

const rowOf = (agent: AgentEntry): string[] => [
  agent.name,
  agent.needs_you ? `${agent.text} !` : agent.text,
  span(agent.state_seconds * 1000),
  agent.role ?? '-',
  amount(agent.tokens),
  `$${agent.cost_usd.toFixed(2)}`,
  String(agent.queued_messages),
  agent.cwd,
]

/** Of this pod; `*` and none are all of them. */
export const inPod = (agents: readonly AgentEntry[], pod: string | undefined): readonly AgentEntry[] =>
  pod === undefined || pod === '*' ? agents : agents.filter((agent) => agent.pod === pod)

const byName = (one: AgentEntry, other: AgentEntry): number => (one.name < other.name ? -1 : 1)

/** Those in no pod come first, under ''. */
const groups = (agents: readonly AgentEntry[]): readonly (readonly [string, AgentEntry[]])[] =>
  [...new Set(agents.map(({ pod = '' }) => pod))]
    .sort()
    .map((name) => [name, agents.filter(({ pod = '' }) => pod === name).sort(byName)] as const)

/** One table, so that the columns of all pods stand below each other. */
export const agentLines = (agents: readonly AgentEntry[]): string[] => {
  if (agents.length === 0) return []
  const sorted = groups(agents)
  const [head = '', ...rows] = table([header, ...sorted.flatMap(([, members]) => members.map(rowOf))])
  const lines = sorted.flatMap(([pod, members]) => {
    const own = rows.splice(0, members.length)
    return pod === '' ? own : [`pod ${pod}`, ...own.map((line) => `  ${line}`)]
  })
  return [head, ...lines]
}

/** Launched agents have their own table; bridges come last. */
export const restLines = (components: readonly Shown[], agents: readonly AgentEntry[]): string[] => {
  const launched = new Set(agents.map(({ name }) => `agents/${name}`))
  const rest = components.filter(({ id }) => !launched.has(id))
  const last = (one: Shown): number => (one.type === 'bridge' ? 1 : 0)
  return table(componentRows([...rest].sort((one, other) => last(one) - last(other))))
}
