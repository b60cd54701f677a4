// "Always, for this role": the rule of an approval, written into the file of the role it was asked under.
import type { Approval } from '../../approval/schema.ts'
import { fail } from '../../base/error/fail.ts'
import { edited } from '../../config/yaml/edit/rules.ts'
import { parse } from '../../config/yaml/parse/rules.ts'
import { writeValue } from '../../config/yaml/write.ts'
import { findRole, layers } from '../../role/read.ts'
import { roleFile } from '../../role/schema.ts'
import { diffOf } from './rules.ts'

export type Grant = {
  readonly rule: string
  readonly role: string
  readonly file: string
  /** The change as it is shown before it is made. */
  readonly change: readonly string[]
  write(): Promise<void>
}

const keys = ['permissions', 'allow']

/** Fails before anything is answered where the rule cannot be written. */
export const grantOf = async (root: string, approval: Approval): Promise<Grant> => {
  const { id, rule, role: name, pod } = approval
  const refuse = (why: string): never => fail('approval_no_rule', { id, why })
  if (rule === undefined) return refuse('no rule allows exactly this call')
  if (name === undefined) return refuse('its agent has no role')
  const source = await findRole(root, name, pod === undefined ? layers.slice(1) : layers)
  if (source === undefined) return refuse(`the role "${name}" is gone`)
  if (source.layer === 'builtin') return refuse(`the role "${name}" comes with agency and is not changed`)
  const { file, text, role } = source
  const { document } = parse(file, text)
  if (role === undefined || document === undefined)
    return refuse(`the file of the role "${name}" is not valid`)
  const allow = [...new Set([...(role.permissions?.allow ?? []), rule])]
  return {
    rule,
    role: name,
    file,
    change: diffOf(text, edited(document, keys, allow)),
    write: () => writeValue(file, keys, allow, roleFile),
  }
}
