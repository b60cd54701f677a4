import { loadRole } from '../../role/load.ts'
import type { Role } from '../../role/schema.ts'
import type { Io } from '../io.ts'

/** The role of the agent that types this; undefined where it has none. */
export const ownRole = async ({ env }: Io, root: string): Promise<Role | undefined> => {
  const { AGENCY_ROLE: role, AGENCY_POD: pod } = env
  return role ? (await loadRole(root, role, { pod: Boolean(pod) })).role : undefined
}
