// role.json of a session: the role as it was at the launch. What is edited meanwhile counts from the next one, so a
// host that comes later decides as the one before it did. It is replaced only by a switch.
import * as z from 'zod'
import type { Judged } from '../../permission/decide/schema.ts'
import { permissionMode } from '../../role/permission/schema.ts'
import { type ReviewFile, review } from '../../role/review/schema.ts'
import { requirements } from '../../role/tool/schema.ts'

const rules = z.array(z.string())

/** Strict: a file that says less than everything would decide less than the role did. */
const judged = z.object({
  name: z.string(),
  permission_mode: permissionMode,
  capabilities: z.strictObject({
    can_read_files: z.boolean(),
    can_write_files: z.boolean(),
    can_create_files: z.boolean(),
    can_delete_files: z.boolean(),
    can_execute_commands: z.boolean(),
    can_delegate_to_roles: rules,
  }),
  permissions: z.object({ allow: rules, deny: rules }),
  tools: z.record(z.string(), z.array(z.enum(requirements))),
})

export const keptRole = z.object({
  role: judged,
  /** While it is switched: what this one refuses is refused too. */
  next: judged.optional(),
  /** How the tree is mounted within walls; null = there are none. */
  tree: z.enum(['read-only', 'read-write']).nullable(),
  /** Absent where the role says nothing of reviews. */
  review: review.optional(),
})
export type KeptRole = {
  readonly role: Judged
  readonly next?: Judged | undefined
  readonly tree: 'read-only' | 'read-write' | null
  readonly review?: ReviewFile | undefined
}
