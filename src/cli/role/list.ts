import { findRoot } from '../../config/root/find.ts'
import { listRoles } from '../../role/list.ts'
import type { Handler } from '../io.ts'
import { table } from '../output/rules.ts'
import { where } from '../root/where.ts'
import { asInPod } from './pod.ts'

const origins = { pod: 'pods/roles', root: 'roles', builtin: 'built in' }

export const run: Handler = async (call) => {
  const { io, warn } = call
  const { directory: root } = await findRoot(where(io))
  const roles = await listRoles(root, { pod: asInPod(call) })
  for (const { name } of roles.filter(({ valid }) => !valid))
    warn(`${name} is not valid: type \`agency role check ${name}\`.`)
  const rows = roles.map(({ name, layer, description, valid }) => [
    name,
    origins[layer],
    valid ? description : 'NOT VALID',
  ])
  return { data: { root, roles }, lines: table([['ROLE', 'FROM', 'WHAT IT DOES'], ...rows]) }
}
