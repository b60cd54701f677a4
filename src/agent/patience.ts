import { milliseconds } from '../base/duration/rules.ts'
import { loadRole } from '../role/load.ts'

/** How long the role of a terminal agent lets people take. Read anew each time: a changed file counts at once. */
export const patienceOf =
  (root: string, { role, pod }: { readonly role?: string | undefined; readonly pod?: string | undefined }) =>
  async (): Promise<number | undefined> => {
    if (role === undefined) return undefined
    // A role that cannot be read any more leaves the question standing: that allows nothing.
    const found = await loadRole(root, role, { pod: pod !== undefined }).catch(() => undefined)
    const expire = found?.role.approvals?.expire
    return expire === undefined ? undefined : milliseconds(expire)
  }
