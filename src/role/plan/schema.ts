// A plan, as a planner writes it. The view shows it as a card, and "execute" hands it to an actor.
import * as z from 'zod'

export const plan = z
  .object({
    type: z.literal('plan'),
    goal: z.string().min(1).meta({ description: 'What will be true when it is done.' }),
    steps: z
      .array(
        z.object({
          action: z.string().min(1).meta({ description: 'What to do.' }),
          reason: z.string().optional().meta({ description: 'Why.' }),
          files: z.array(z.string()).optional().meta({ description: 'What it touches.' }),
          check: z.string().optional().meta({ description: 'How to see that it worked.' }),
        }),
      )
      .min(1)
      .meta({ description: 'In order.' }),
    risks: z.array(z.string()).optional().meta({ description: 'What may go wrong, and what then.' }),
    prerequisites: z.array(z.string()).optional().meta({ description: 'What must be there first.' }),
    questions: z.array(z.string()).optional().meta({ description: 'What only the person can answer.' }),
  })
  .meta({ id: 'Plan', description: 'A plan to be approved.' })
export type Plan = z.infer<typeof plan>

export const examplePlan: Plan = {
  type: 'plan',
  goal: 'What will be true when this is done',
  steps: [
    {
      action: 'One thing to do',
      reason: 'Why it is needed',
      files: ['path/of/file'],
      check: 'How to see that it worked',
    },
  ],
  risks: ['What may go wrong, and what then'],
  prerequisites: ['What must be there first'],
  questions: ['What only you can answer'],
}
