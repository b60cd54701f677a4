// A role, complete: read, joined with what it inherits, and changed by the overrides of a launch.
import { fail } from '../base/error/fail.ts'
import type { Remark } from '../base/remark/rules.ts'
import { nearest } from '../base/text/rules.ts'
import { parse } from '../config/yaml/parse/rules.ts'
import { locate } from '../config/yaml/read.ts'
import { problemLine } from '../config/yaml/rules.ts'
import type { Problem } from '../config/yaml/schema.ts'
import { ancestorsOf } from './ancestors.ts'
import { checkType } from './check/rules.ts'
import { joinRoles, widenings } from './lineage/rules.ts'
import { listRoles } from './list.ts'
import { applyOverrides } from './override/rules.ts'
import { findRole, type Layer, layers, type RoleSource, requireName } from './read.ts'
import { completeRole } from './rules.ts'
import type { Role, RoleFile } from './schema.ts'

export type LoadedRole = {
  readonly role: Role
  /** `built-in` for a role that comes with agency. */
  readonly file: string
  /** The role itself, its parent, and so on. */
  readonly lineage: readonly { readonly name: string; readonly layer: Layer; readonly file: string }[]
  readonly warnings: readonly Problem[]
  /** What was overridden, as it was given: kept with the session. */
  readonly overrides: Readonly<Record<string, string>>
}

export type RoleOptions = {
  /** Whether the agent is in a pod: then roles of pods come first. */
  readonly pod?: boolean
  readonly overrides?: readonly string[]
}

const unknownRole = async (root: string, name: string, pod: boolean): Promise<never> => {
  const known = (await listRoles(root, { pod })).map((each) => each.name)
  const meant = nearest(name, known)
  return fail('role_not_found', { name, meant: meant === undefined ? '' : ` (did you mean "${meant}"?)` })
}

const sourceOf = async (root: string, name: string, pod: boolean): Promise<RoleSource> => {
  requireName('role', name)
  return (await findRole(root, name, pod ? layers : layers.slice(1))) ?? unknownRole(root, name, pod)
}

const refuse = (root: string, name: string, problems: readonly Problem[]): never =>
  fail('role_invalid', { name, problems: problems.map((each) => problemLine(each, root)) })

const located = ({ file, text }: RoleSource, remarks: readonly Remark[]): Problem[] =>
  remarks.map((remark) => locate(file, parse(file, text), remark))

export const loadRole = async (
  root: string,
  name: string,
  options: RoleOptions = {},
): Promise<LoadedRole> => {
  const { pod = false, overrides: given = [] } = options
  const source = await sourceOf(root, name, pod)
  if (source.role === undefined) return refuse(root, name, source.problems)
  const { ancestors, remarks } = await ancestorsOf(root, { name, layer: source.layer, role: source.role })
  const lineage = [source, ...ancestors]
  if (remarks.length > 0) {
    refuse(root, name, [...located(source, remarks), ...ancestors.flatMap((each) => each.problems)])
  }

  const warnings = lineage.flatMap((each) => each.warnings)
  let joined: RoleFile | undefined
  for (const each of lineage.toReversed()) {
    if (each.role === undefined) continue
    if (joined !== undefined) warnings.push(...located(each, widenings(joined, each.role)))
    joined = joined === undefined ? each.role : joinRoles(joined, each.role)
  }
  const changed = applyOverrides(joined ?? source.role, given)
  if ('problems' in changed) {
    const [what = '', ...more] = changed.problems
    return fail('override_invalid', { name, what, problems: more })
  }
  const problemsOf = (role: RoleFile) => checkType(role).filter((each) => !each.warning)
  const before = problemsOf(joined ?? source.role)
  if (before.length > 0) refuse(root, name, located(source, before))
  // Right in the file and wrong now: so it was the override.
  const [after, ...more] = problemsOf(changed.role).map(({ message }) => message)
  if (after !== undefined) fail('override_invalid', { name, what: after, problems: more })
  return {
    role: completeRole(changed.role),
    file: source.file,
    lineage: lineage.map(({ name, layer, file }) => ({ name, layer, file })),
    warnings,
    overrides: changed.overrides,
  }
}
