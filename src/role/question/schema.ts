// A question of an actor. The view shows it as a card whose options can be clicked.
import * as z from 'zod'

export const question = z
  .object({
    type: z.literal('question'),
    question: z.string().min(1).meta({ description: 'What is asked, in one sentence.' }),
    context: z.string().optional().meta({ description: 'What is known so far.' }),
    severity: z
      .enum(['critical', 'major', 'minor'])
      .optional()
      .meta({ description: 'What a wrong choice costs.' }),
    options: z
      .array(
        z.object({
          label: z.string().min(1).meta({ description: 'The answer.' }),
          description: z.string().optional().meta({ description: 'What it leads to.' }),
        }),
      )
      .min(1)
      .meta({ description: 'Answers to choose from.' }),
    recommended: z.string().optional().meta({ description: 'The label you would choose.' }),
  })
  .meta({ id: 'Question', description: 'A question to a person.' })
export type Question = z.infer<typeof question>

export const exampleQuestion: Question = {
  type: 'question',
  question: 'What you need to know, in one sentence',
  context: 'What you found so far',
  severity: 'major',
  options: [
    { label: 'First answer', description: 'What it leads to' },
    { label: 'Second answer', description: 'What it leads to' },
  ],
  recommended: 'First answer',
}
