// Examples in a role file that `agency role test` decides again: a rule that stops holding is seen.
import * as z from 'zod'
import { ruleText } from '../../permission/rule/schema.ts'

const call = z.union([
  ruleText,
  z.strictObject({
    tool: z.string().min(1).meta({ description: 'The tool.' }),
    input: z.record(z.string(), z.unknown()).meta({ description: 'What it is called with.' }),
    exists: z
      .boolean()
      .optional()
      .meta({ description: 'Whether the files that it names are there.', default: true }),
  }),
])
export type ExampleCall = z.infer<typeof call>

/** What an example may be said to come to. */
export const outcomes = ['allow', 'ask', 'deny'] as const
export type Outcome = (typeof outcomes)[number]

export const tests = z
  .strictObject({
    allow: z.array(call).optional().meta({ description: 'Calls that must need no question.' }),
    ask: z.array(call).optional().meta({ description: 'Calls that must be asked about.' }),
    deny: z.array(call).optional().meta({ description: 'Calls that must be refused.' }),
  })
  .meta({ id: 'RoleTests', description: 'Calls and what must be decided: `Bash(make test)`.' })
