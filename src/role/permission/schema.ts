// Which tool calls need nobody, which are refused, and who looks at the rest.
import * as z from 'zod'
import { ruleText } from '../../permission/rule/schema.ts'

/** `default` and `manual` are the same mode. */
export const permissionModes = [
  'default',
  'manual',
  'acceptEdits',
  'plan',
  'dontAsk',
  'auto',
  'bypassPermissions',
] as const

export const permissionMode = z.enum(permissionModes).meta({
  description: 'When Claude asks: passed as --permission-mode.',
  default: 'default',
})
export type PermissionMode = z.infer<typeof permissionMode>

export const permissions = z
  .strictObject({
    allow: z.array(ruleText).optional().meta({ description: 'Calls that need no question.' }),
    deny: z.array(ruleText).optional().meta({ description: 'Calls that are refused; deny wins over allow.' }),
    agent: z
      .strictObject({
        enabled: z
          .boolean()
          .optional()
          .meta({ description: 'Whether it reviews; true where instructions are given.' }),
        instructions: z
          .string()
          .optional()
          .meta({ description: 'What the reviewer is told: what to allow, to deny, and to ask you about.' }),
      })
      .optional()
      .meta({ description: 'An AI that reviews what neither list decides. It never overrules a deny.' }),
  })
  .meta({ id: 'Permissions', description: 'Rules for tool calls.' })

export type PermissionsFile = z.infer<typeof permissions>
