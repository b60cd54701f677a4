// What `agency validate` says of an agent's config file.
import { basename, dirname } from 'node:path'
import { type Remark, wrong } from '../base/remark/rules.ts'
import { layout } from '../config/layout/rules.ts'
import type { Context, Kind } from '../config/validate/schema.ts'
import { checkRootDir } from '../role/kind.ts'
import { findRole, type Layer, layers } from '../role/read.ts'
import { checkAgent } from './check/rules.ts'
import { type AgentFile, agentFile } from './schema.ts'

/** Whether the role that a file names is there. Without a root nothing can be said. */
export const checkRoleName = async (
  role: string | undefined,
  root: string | undefined,
  {
    keys = ['role'],
    pod = false,
  }: { readonly keys?: readonly (string | number)[]; readonly pod?: boolean } = {},
): Promise<Remark[]> => {
  if (role === undefined || root === undefined) return []
  const among: readonly Layer[] = pod ? layers : layers.slice(1)
  if (await findRole(root, role, among)) return []
  return [wrong(keys, `must name a role: there is no "${role}" (\`agency role list\` shows them)`)]
}

const checkFile = async (agent: AgentFile, { file, root }: Context): Promise<Remark[]> => {
  const directory = dirname(file)
  const placed = root !== undefined && dirname(directory) === layout(root).agents
  return [
    ...checkAgent(agent, placed ? basename(directory) : undefined),
    ...(await checkRoleName(agent.role, root, { pod: agent.pod !== undefined })),
    ...(await checkRootDir(agent.root_dir, root)),
  ]
}

export const agentKind: Kind = {
  name: 'agent',
  places: ['agents/*/config.yaml'],
  schema: agentFile,
  check: checkFile,
}
