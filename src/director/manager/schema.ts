// A director that is an agent itself: it takes a goal and gives the work to others.
import * as z from 'zod'
import { claude } from '../../agent/schema.ts'
import { name } from '../../base/name/schema.ts'
import { budget } from '../../role/budget/schema.ts'
import { sandbox } from '../../role/sandbox/schema.ts'
import { directorFields } from '../field/schema.ts'

export const managerFile = z
  .strictObject({
    type: z
      .enum(['manager', 'claude'])
      .meta({ description: 'A director that delegates by its own judgement.' }),
    ...directorFields,
    role: name.default('manager').meta({ description: 'The role it has.' }),
    claude,
    sandbox: sandbox.optional(),
    budget: budget.optional(),
  })
  .meta({ id: 'Manager', description: 'A director that takes a goal and gives the work to others.' })
export type ManagerFile = z.infer<typeof managerFile>
