import { AgencyError } from '../../base/error/fail.ts'
import { loadPod, templateNames } from '../../pod/load.ts'
import { lookFor } from '../host/ask.ts'
import type { Handler } from '../io.ts'
import { table } from '../output/rules.ts'
import { presentAgents } from './present.ts'
import { runningPods } from './rules.ts'

type Listed = {
  readonly name: string
  readonly description: string
  readonly agents: number
  readonly valid: boolean
}

const listed = async (root: string, name: string): Promise<Listed> => {
  try {
    const { template } = await loadPod(root, name)
    const agents = template.agents.reduce((sum, { count }) => sum + count, 0)
    return { name, description: template.description ?? '', agents, valid: true }
  } catch (error) {
    if (!(error instanceof AgencyError)) throw error
    return { name, description: `NOT VALID: type \`agency pod show ${name}\``, agents: 0, valid: false }
  }
}

export const run: Handler = async (call) => {
  const { root, client } = await lookFor(call)
  const pods = await Promise.all((await templateNames(root)).map((name) => listed(root, name)))
  const rows = pods.map(({ name, agents, description }) => [name, String(agents), description])
  const templates =
    pods.length === 0
      ? ['No pod templates. They lie in pods/templates/NAME.yaml.']
      : table([['POD', 'AGENTS', 'WHAT IT DOES'], ...rows])
  const running = runningPods(await presentAgents(root, client))
  const agents = running.flatMap(({ pod, agents }) =>
    agents.map(({ name, role, text }) => [pod, name, role ?? '-', text]),
  )
  const up = agents.length === 0 ? [] : ['', ...table([['RUNNING', 'AGENT', 'ROLE', 'STATE'], ...agents])]
  return { data: { root, pods, running }, lines: [...templates, ...up] }
}
