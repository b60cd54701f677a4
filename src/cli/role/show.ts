import { findRoot } from '../../config/root/find.ts'
import { problemLine } from '../../config/yaml/rules.ts'
import { loadRole } from '../../role/load.ts'
import type { Handler } from '../io.ts'
import { where } from '../root/where.ts'
import { asInPod } from './pod.ts'
import { shownRole } from './shown/rules.ts'

export const run: Handler = async (call) => {
  const { values, io, warn } = call
  const { directory: root } = await findRoot(where(io))
  const { role, file, lineage, warnings } = await loadRole(root, values.role ?? '', {
    pod: asInPod(call),
  })
  for (const warning of warnings) warn(problemLine(warning, root))
  const from = lineage.map((each) => `${each.name} (${each.file})`).join(' ← ')
  return { data: { role, file, lineage }, lines: shownRole(role, from) }
}
