// pods/templates/<name>.yaml: agents that are launched together.
import * as z from 'zod'
import { name } from '../base/name/schema.ts'
import { budget } from '../role/budget/schema.ts'

export const podAgent = z
  .strictObject({
    name: name.optional().meta({ description: 'Its name; absent = that of the role.' }),
    role: name.meta({ description: 'The role it is made from; roles of pods come first.' }),
    count: z
      .int()
      .min(0)
      .max(100)
      .default(1)
      .meta({ description: 'How many; with more than one they are called `name-1`, `name-2` and so on.' }),
    overrides: z
      .record(
        z.string(),
        z.union([z.string(), z.number(), z.boolean()], {
          error: 'must be a single value; write nested keys with dots: worktree.enabled',
        }),
      )
      .default({})
      .meta({ description: 'Changes to the role, as with --override: `worktree.enabled: true`.' }),
  })
  .meta({ id: 'PodAgent', description: 'An agent of a pod.' })

export const podFile = z
  .strictObject({
    $schema: z.string().optional().meta({ description: 'For editors; agency does not read it.' }),
    pod_name: name.optional().meta({
      description: 'The pod, unless --pod or AGENCY_POD name another; absent = as the file is called.',
    }),
    description: z.string().optional().meta({ description: 'One line for lists.' }),
    budget: budget.optional().meta({ description: 'Limits for all its agents together.' }),
    agents: z.array(podAgent).min(1).meta({ description: 'The agents, in the order they are launched.' }),
  })
  .meta({ id: 'Pod', title: 'agency pod template', description: 'Agents that are launched together.' })
export type PodFile = z.infer<typeof podFile>

/** One agent to launch. */
export type PodMember = {
  readonly name: string
  readonly role: string
  readonly pod: string
  readonly overrides: readonly string[]
  /** Its place among those of the same entry, from 1. */
  readonly index: number
}
