import { oneLine } from '../../base/text/rules.ts'
import type { Problem } from './schema.ts'

/** `roles/x.yaml:2:3 permissions.deny must be a list, not a string`; paths below `root` are shown from it. */
export const problemLine = (problem: Problem, root?: string): string => {
  const below = root !== undefined && problem.file.startsWith(`${root}/`)
  const file = below ? problem.file.slice(root.length + 1) : problem.file
  const meant = problem.meant === undefined ? '' : ` (did you mean ${problem.meant}?)`
  // Line 0: the place is no file but, say, a variable of the environment.
  const place = problem.line === 0 ? file : `${file}:${problem.line}:${problem.column}`
  return oneLine(`${place} ${problem.message}${meant}`)
}
