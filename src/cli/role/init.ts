import { findRoot } from '../../config/root/find.ts'
import { scaffoldRole } from '../../role/scaffold.ts'
import type { Handler } from '../io.ts'
import { checkName } from '../name.ts'
import { ensureSchemas } from '../root/schemas.ts'
import { where } from '../root/where.ts'

export const run: Handler = async ({ values, io }) => {
  const name = checkName('role name', values.role ?? '')
  const { directory: root } = await findRoot(where(io))
  const file = await scaffoldRole(root, name)
  await ensureSchemas(root)
  return {
    data: { role: name, file },
    lines: [`Wrote ${file}`, `Edit it, then type \`agency role check ${name}\`.`],
  }
}
