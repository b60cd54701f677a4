import * as z from 'zod'
import { duration } from '../../base/duration/schema.ts'

export const budget = z
  .strictObject({
    turns: z.int().positive().optional().meta({ description: 'Answers of the model, subagents’ too.' }),
    tokens: z.int().positive().optional().meta({ description: 'Tokens, in and out.' }),
    cost_usd: z
      .number()
      .positive()
      .optional()
      .meta({ description: 'Cost at API prices; on a subscription it is notional.' }),
    wall_time: duration.optional().meta({ description: 'Time that it runs.' }),
    runs: z.int().positive().optional().meta({ description: 'Launches.' }),
    per: z
      .enum(['day'])
      .optional()
      .meta({ description: '`day`: counted anew each day, at local midnight; absent = never.' }),
  })
  .meta({ id: 'Budget', description: 'Limits; what is not named has none.' })
export type Budget = z.infer<typeof budget>
