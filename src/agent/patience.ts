import { milliseconds } from '../base/duration/rules.ts'
import { defaultRole } from '../role/builtin/schema.ts'
import { loadRole } from '../role/load.ts'
import type { Role } from '../role/schema.ts'

type Named = { readonly role?: string | undefined; readonly pod?: string | undefined }

/** Of a terminal agent, as it is now: a changed file counts at once. */
export const roleOf = async (root: string, { role = defaultRole, pod }: Named): Promise<Role> =>
  (await loadRole(root, role, { pod: pod !== undefined })).role

/** How long the role of a terminal agent lets people take. */
export const patienceOf = (root: string, named: Named) => async (): Promise<number | undefined> => {
  if (named.role === undefined) return undefined
  // A role that cannot be read any more leaves the question standing: that allows nothing.
  const found = await roleOf(root, named).catch(() => undefined)
  const expire = found?.approvals?.expire
  return expire === undefined ? undefined : milliseconds(expire)
}
