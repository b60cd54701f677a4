import { AgencyError } from '../../base/error/fail.ts'
import { findRoot } from '../../config/root/find.ts'
import { loadPod, templateNames } from '../../pod/load.ts'
import type { Handler } from '../io.ts'
import { table } from '../output/rules.ts'
import { where } from '../root/where.ts'

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

export const run: Handler = async ({ io }) => {
  const { directory: root } = await findRoot(where(io))
  const pods = await Promise.all((await templateNames(root)).map((name) => listed(root, name)))
  const rows = pods.map(({ name, agents, description }) => [name, String(agents), description])
  const lines =
    pods.length === 0
      ? ['No pod templates. They lie in pods/templates/NAME.yaml.']
      : table([['POD', 'AGENTS', 'WHAT IT DOES'], ...rows])
  return { data: { root, pods }, lines }
}
