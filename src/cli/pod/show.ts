import { findRoot } from '../../config/root/find.ts'
import { problemLine } from '../../config/yaml/rules.ts'
import { loadPod } from '../../pod/load.ts'
import { expandPod, podName } from '../../pod/rules.ts'
import type { Handler } from '../io.ts'
import { table } from '../output/rules.ts'
import { where } from '../root/where.ts'

export const run: Handler = async ({ values, io, warn }) => {
  const { directory: root } = await findRoot(where(io))
  const { name, file, template, warnings } = await loadPod(root, values.pod ?? '')
  for (const warning of warnings) warn(problemLine(warning, root))
  const pod = podName({ env: io.env.AGENCY_POD, template: template.pod_name, stem: name })
  const agents = expandPod(template, pod)
  const rows = agents.map((agent) => [agent.name, agent.role, agent.overrides.join(' ')])
  return {
    data: { name, file, pod, agents },
    lines: [`The pod "${pod}" (${file}) launches:`, ...table([['AGENT', 'ROLE', 'OVERRIDES'], ...rows])],
  }
}
