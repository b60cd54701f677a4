import { fail } from '../../base/error/fail.ts'
import { findRoot } from '../../config/root/find.ts'
import { validateFile } from '../../config/validate.ts'
import { problemLine } from '../../config/yaml/rules.ts'
import { roleKind } from '../../role/kind.ts'
import { loadRole } from '../../role/load.ts'
import type { Handler } from '../io.ts'
import { where } from '../root/where.ts'
import { asInPod } from './pod.ts'

export const run: Handler = async (call) => {
  const { values, io, warn } = call
  const { directory: root } = await findRoot(where(io))
  const { role, file, lineage } = await loadRole(root, values.role ?? '', {
    pod: asInPod(call),
  })
  const builtIn = lineage[0]?.layer === 'builtin'
  const { problems, warnings } = builtIn
    ? { problems: [], warnings: [] }
    : await validateFile(file, [roleKind], root)
  for (const warning of warnings) warn(problemLine(warning, root))
  if (problems.length > 0)
    fail('role_invalid', { name: role.name, problems: problems.map((each) => problemLine(each, root)) })
  const chain = lineage.map(({ name }) => name).join(' ← ')
  return { data: { role: role.name, file, lineage, valid: true }, lines: [`${chain}: valid (${file})`] }
}
