import { findKeepers } from '../../keeper/find.ts'
import type { Outcome } from '../command/schema.ts'
import { componentsOf, lookFor } from '../host/ask.ts'
import type { Handler } from '../io.ts'
import { agentsOf } from './ask.ts'
import { agentLines, inPod, restLines } from './listing/rules.ts'

/** Keepers hold agents also while no host is up: that must not look like nothing. */
const withoutHost = async (root: string): Promise<Outcome> => {
  const kept = (await findKeepers(root)).map(({ agent, pid }) => ({ agent, pid }))
  const data = { up: false, root, components: [] }
  if (kept.length === 0)
    return { data, lines: [`No host runs for ${root}, so nothing runs. Type \`agency up\`.`] }
  return {
    data: { ...data, kept },
    lines: [
      `No host runs for ${root}. These agents go on with their keepers, and their hooks wait for a host:`,
      ...kept.map(({ agent, pid }) => `  ${agent} (keeper ${pid})`),
      'Type `agency start`.',
    ],
  }
}

export const run: Handler = async (call) => {
  const { root, client } = await lookFor(call)
  if (client === undefined) return withoutHost(root)
  const pod = call.values.pod ?? call.io.env.AGENCY_POD
  const everywhere = pod === undefined || pod === '*'
  // In this order: a host that has just started first finds its agents again.
  const launched = await agentsOf(client)
  const all = await componentsOf(client)
  const agents = inPod(launched, pod)
  const ids = new Set(agents.map(({ name }) => `agents/${name}`))
  // Only launched agents are in pods.
  const components = everywhere ? all : all.filter(({ id }) => ids.has(id))
  const sections = [agentLines(agents), restLines(components, agents)].filter(({ length }) => length > 0)
  const empty = everywhere
    ? 'No components. Type `agency run --role ROLE` to launch an agent.'
    : `No components in the pod "${pod}".`
  return {
    data: { up: true, root, components, agents },
    lines:
      sections.length === 0 ? [empty] : sections.flatMap((lines, at) => (at === 0 ? lines : ['', ...lines])),
  }
}
