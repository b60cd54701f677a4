// What was used of what may be used. An account belongs to a scope: an agent, a role, a pod, or the whole root.
import * as z from 'zod'
import { name } from '../base/name/schema.ts'
import { budget } from '../role/budget/schema.ts'

/** `root`, or whose: `agent/coder-1`, `role/coder`, `pod/web`. */
export const scope = z
  .string()
  .regex(/^(root|(agent|role|pod)\/[a-z0-9][a-z0-9-]*)$/, {
    error: 'must be root, agent/NAME, role/NAME or pod/NAME',
  })
  .meta({ description: 'Whose: `root`, `agent/NAME`, `role/NAME` or `pod/NAME`.' })
export type Scope = z.infer<typeof scope>

/** A limit of config.yaml. */
export const rootBudget = z
  .strictObject({
    ...budget.shape,
    agent: name.optional().meta({ description: 'Only what this agent uses.' }),
    role: name.optional().meta({ description: 'What all agents of this role use together.' }),
    pod: name.optional().meta({ description: 'What all agents of this pod use together.' }),
  })
  .refine(({ agent, role, pod }) => [agent, role, pod].filter((one) => one !== undefined).length < 2, {
    error: 'names one of agent, role and pod at most',
  })
  .meta({ id: 'RootBudget', description: 'Limits for whoever is named; nobody named = all agents together.' })
export type RootBudget = z.infer<typeof rootBudget>

const amount = z.number().min(0)

export const amounts = z
  .strictObject({ turns: amount, tokens: amount, cost_usd: amount, wall_ms: amount, runs: amount })
  .meta({ id: 'Amounts', description: 'What was used.' })
export type Amounts = z.infer<typeof amounts>
export type Measure = keyof Amounts
export const measures = [
  'turns',
  'tokens',
  'cost_usd',
  'wall_ms',
  'runs',
] as const satisfies readonly Measure[]

export const more = amounts.partial()
export type More = z.infer<typeof more>

/** Local. */
const date = z.string().regex(/^\d{4}-\d\d-\d\d$/)
const time = z.number().meta({ description: 'Milliseconds since 1970.' })

const source = z.strictObject({
  run: z.string().meta({ description: 'The latest launch.' }),
  at: amounts.meta({ description: 'All that was counted of it.' }),
  from: amounts.meta({ description: 'What that was when the run began.' }),
  paid: amounts.meta({ description: 'What that was when the CLI last told its totals.' }),
  since: time.optional().meta({ description: 'When the run began; absent = it is over.' }),
})
export type Source = z.infer<typeof source>

const window = z.strictObject({ date, used: amounts })

export const account = z
  .strictObject({
    limits: z.array(budget).meta({ description: 'Those that came with a launch; config.yaml has others.' }),
    used: amounts,
    day: window.meta({ description: 'What of it was used on the last day that anything was.' }),
    begun: z
      .strictObject({ used: amounts, day: window })
      .optional()
      .meta({ description: 'What was used before the agent that has the name now.' }),
    raised: amounts.meta({ description: 'What people have added to every limit.' }),
    raisedToday: window.optional().meta({ description: 'What they have added on that day.' }),
    sources: z.record(z.string(), source).meta({ description: 'By session.' }),
  })
  .meta({ id: 'Account', description: 'What was used of a budget.' })
export type Account = z.infer<typeof account>

const run = { run: z.string(), source: z.string(), day: date }

export const budgetEvents = {
  /** Before the launch. `fresh`: a new agent, which begins with nothing used. `again`: the run it is in goes on. */
  'budget.reserved': z.strictObject({
    ...run,
    at: time,
    limits: z.array(budget).optional(),
    fresh: z.literal(true).optional(),
    again: z.literal(true).optional(),
  }),
  /** The launch never happened. */
  'budget.released': z.strictObject(run),
  /** Where the source is now: told again, or in another order, it counts once. */
  'budget.counted': z.strictObject({
    source: z.string(),
    day: date,
    at: amounts,
    paid: z.literal(true).optional(),
    over: z.literal(true).optional(),
  }),
  'budget.limited': z.strictObject({ limits: z.array(budget) }),
  'budget.raised': z.strictObject({ more, day: date, by: z.string() }),
} as const
