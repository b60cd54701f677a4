import { findKeepers } from '../../keeper/find.ts'
import type { Outcome } from '../command/schema.ts'
import { componentsOf, lookFor } from '../host/ask.ts'
import type { Call, Handler } from '../io.ts'
import { checkName } from '../name.ts'
import { agentsOf } from './ask.ts'
import { agentLines, besides, inPod, markSilent, restLines } from './listing/rules.ts'
import { silentAgents } from './silent.ts'

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

/** Undefined = all of them. */
const podOf = ({ values, io }: Call): string | undefined => {
  const pod = values.pod ?? io.env.AGENCY_POD
  return pod && pod !== '*' ? checkName('pod name', pod) : undefined
}

export const run: Handler = async (call) => {
  const pod = podOf(call)
  const { root, client } = await lookFor(call)
  if (client === undefined) return withoutHost(root)
  // In this order: a host that has just started first finds its agents again.
  const launched = await agentsOf(client)
  const [all, silent] = await Promise.all([componentsOf(client), silentAgents(root)])
  const agents = markSilent(inPod(launched, pod), silent)
  const components = pod === undefined ? all : besides(all, agents, pod)
  const sections = [agentLines(agents), restLines(components, agents)].filter(({ length }) => length > 0)
  const empty =
    pod === undefined
      ? 'No components. Type `agency run --role ROLE` to launch an agent.'
      : `No components in the pod "${pod}".`
  return {
    data: { up: true, root, components, agents },
    lines:
      sections.length === 0 ? [empty] : sections.flatMap((lines, at) => (at === 0 ? lines : ['', ...lines])),
  }
}
