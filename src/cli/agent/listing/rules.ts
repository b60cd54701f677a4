// What `agency list` prints: agents by pod, then everything else.
import type { AgentEntry } from '../../../agent/api.ts'
import { isOver } from '../../../registry/rules.ts'
import { span } from '../../../session/summary/rules.ts'
import { componentRows, type Shown } from '../../host/rules.ts'
import { table } from '../../output/rules.ts'

const amount = (tokens: number): string => {
  if (tokens < 1000) return String(tokens)
  return tokens < 1_000_000 ? `${(tokens / 1000).toFixed(1)}k` : `${(tokens / 1_000_000).toFixed(1)}M`
}

const first = 'AGENT'
const header = ['STATE', 'FOR', 'ROLE', 'TOKENS', 'COST', 'QUEUED', 'CWD']

const rowOf = (agent: AgentEntry): string[] => [
  agent.needs_you ? `${agent.text} !` : agent.text,
  span(agent.state_seconds * 1000),
  agent.role ?? '-',
  amount(agent.tokens),
  `$${agent.cost_usd.toFixed(2)}`,
  String(agent.queued_messages),
  agent.cwd,
]

/** Of this pod; undefined = all of them. */
export const inPod = (agents: readonly AgentEntry[], pod: string | undefined): readonly AgentEntry[] =>
  pod === undefined ? agents : agents.filter((agent) => agent.pod === pod)

export type ListedAgent = AgentEntry & { readonly silent?: true }

/** One that does not answer is shown as such: its state is only the last that was heard. */
export const markSilent = (
  agents: readonly AgentEntry[],
  silent: ReadonlySet<string>,
): readonly ListedAgent[] =>
  agents.map((agent) =>
    silent.has(agent.name) && !isOver(agent.state)
      ? { ...agent, silent: true, text: `silent (last: ${agent.text})` }
      : agent,
  )

const byName = (one: AgentEntry, other: AgentEntry): number => (one.name < other.name ? -1 : 1)

/** Those in no pod come first, under ''. */
const groups = (agents: readonly AgentEntry[]): readonly (readonly [string, AgentEntry[]])[] =>
  [...new Set(agents.map(({ pod = '' }) => pod))]
    .sort()
    .map((name) => [name, agents.filter(({ pod = '' }) => pod === name).sort(byName)] as const)

/** One table: agents of a pod stand below its name, and all other columns below each other. */
export const agentLines = (agents: readonly AgentEntry[]): string[] => {
  if (agents.length === 0) return []
  const sorted = groups(agents)
  const [head = '', ...rows] = table([header, ...sorted.flatMap(([, members]) => members.map(rowOf))])
  const lines = sorted.flatMap(([pod, members]) => {
    const margin = pod === '' ? '' : '  '
    const own = members.map(({ name }) => ({ name: `${margin}${name}`, rest: rows.shift() ?? '' }))
    return pod === '' ? own : [{ name: `pod ${pod}`, rest: '' }, ...own]
  })
  const width = Math.max(
    ...[first, ...lines.filter(({ rest }) => rest !== '').map(({ name }) => name)].map((name) => name.length),
  )
  return [{ name: first, rest: head }, ...lines].map(({ name, rest }) =>
    rest === '' ? name : `${name.padEnd(width)}  ${rest}`,
  )
}

/** What is shown of one pod: its agents, launched or configured, and bridges, which serve all of them. */
export const besides = <C extends Pick<Shown, 'id' | 'type' | 'pod'>>(
  components: readonly C[],
  agents: readonly Pick<AgentEntry, 'name'>[],
  of: string,
): readonly C[] => {
  const ids = new Set(agents.map(({ name }) => `agents/${name}`))
  return components.filter(({ id, type, pod }) => ids.has(id) || pod === of || type === 'bridge')
}

/** Launched agents have their own table; bridges come last. */
export const restLines = (components: readonly Shown[], agents: readonly AgentEntry[]): string[] => {
  const launched = new Set(agents.map(({ name }) => `agents/${name}`))
  const rest = components.filter(({ id }) => !launched.has(id))
  const last = (one: Shown): number => (one.type === 'bridge' ? 1 : 0)
  return table(componentRows([...rest].sort((one, other) => last(one) - last(other))))
}
