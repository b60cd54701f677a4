// The routes of budgets.
import * as z from 'zod'
import { contract } from '../base/contract/schema.ts'
import { name } from '../base/name/schema.ts'
import { budget } from '../role/budget/schema.ts'
import { more, scope } from './schema.ts'

const amount = z.number().min(0)

export const budgetLine = z
  .strictObject({
    who: scope,
    limit: z.enum(['turns', 'tokens', 'cost_usd', 'wall_ms', 'runs']),
    per: z.enum(['day']).optional(),
    used: amount,
    of: amount,
    state: z.enum(['free', 'near', 'reached']).meta({ description: 'near: 80 % are used.' }),
  })
  .meta({ id: 'BudgetLine', description: 'What is used of one limit; costs are at API prices.' })
export type BudgetLine = z.infer<typeof budgetLine>

const reply = z.strictObject({ budgets: z.array(budgetLine) }).meta({ id: 'BudgetsReply' })

export const budgets = {
  list: contract({
    method: 'GET',
    path: '/budgets',
    summary: 'Every limit, and what is used of it.',
    query: z.object({
      agent: name.optional().meta({ description: 'Only what this agent is held to.' }),
    }),
    reply,
  }),
  raise: contract({
    method: 'POST',
    path: '/budgets/raise',
    summary: 'Lets more be used, so that a person can have it go on; of a limit per day, today.',
    body: z.strictObject({
      who: scope,
      more: more.refine((value) => Object.values(value).some((one) => (one ?? 0) > 0), {
        error: 'must raise something',
      }),
      by: z.string().max(200).optional().meta({ description: 'Who raises it; absent = api.' }),
    }),
    reply,
    errors: ['budget_unlimited'],
  }),
  limit: contract({
    method: 'POST',
    path: '/budgets/pod',
    summary: 'What all agents of a pod may use together, as its template says; empty = no limit.',
    body: z.strictObject({ pod: name, budget }),
    reply,
  }),
} as const
