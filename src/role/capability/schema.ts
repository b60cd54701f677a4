// What a role may do at all, whatever its rules say.
import * as z from 'zod'
import { namePattern, nameRule } from '../../base/name/schema.ts'

const may = (what: string) => z.boolean().optional().meta({ description: what })

/** As written. A block that is there says everything: a key it leaves out is false (or the inherited one). */
export const capabilities = z
  .strictObject({
    can_read_files: may('Read and search files.'),
    can_write_files: may('Change files that exist.'),
    can_create_files: may('Make files that do not exist yet.'),
    can_delete_files: may('Delete files.'),
    can_execute_commands: may('Run shell commands.'),
    can_delegate_to_roles: z
      .array(
        z
          .string()
          .toLowerCase()
          .regex(namePattern, { error: `must be a role name: ${nameRule}` }),
      )
      .optional()
      .meta({ description: 'Roles whose agents it may give work to.' }),
  })
  .meta({ id: 'Capabilities', description: 'What the role may do at all; absent = everything an actor may.' })

export type CapabilitiesFile = z.infer<typeof capabilities>

export type Capabilities = {
  readonly can_read_files: boolean
  readonly can_write_files: boolean
  readonly can_create_files: boolean
  readonly can_delete_files: boolean
  readonly can_execute_commands: boolean
  readonly can_delegate_to_roles: readonly string[]
}

export const abilities = [
  'can_read_files',
  'can_write_files',
  'can_create_files',
  'can_delete_files',
  'can_execute_commands',
] as const

export const nothing: Capabilities = {
  can_read_files: false,
  can_write_files: false,
  can_create_files: false,
  can_delete_files: false,
  can_execute_commands: false,
  can_delegate_to_roles: [],
}

export const everything: Capabilities = {
  can_read_files: true,
  can_write_files: true,
  can_create_files: true,
  can_delete_files: true,
  can_execute_commands: true,
  can_delegate_to_roles: [],
}
