// What an agent may launch: roles its own role delegates to, as their files say. Anything else would be a way to
// get what its own role does not give it.
import type { Role } from '../schema.ts'

export type Errand = {
  /** The role of the agent that asks; absent where it has none that is known. */
  readonly own?: Pick<Role, 'name' | 'capabilities'> | undefined
  readonly wanted: string
  /** Whether the role would be changed for this launch. */
  readonly changed: boolean
}

/** Why it may not; undefined = it may. */
export const undelegated = ({ own, wanted, changed }: Errand): string | undefined => {
  if (own === undefined) return 'it has no role that says what it may delegate to'
  const { can_delegate_to_roles: roles } = own.capabilities
  if (!roles.includes(wanted)) {
    const known = roles.length === 0 ? 'to no role' : `to ${roles.join(', ')}`
    return `its role "${own.name}" may delegate ${known}, not to "${wanted}"`
  }
  return changed ? 'it may launch a role only as it is, without --override and arguments' : undefined
}
