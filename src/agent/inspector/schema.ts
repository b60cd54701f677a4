// What the reviewer of finished work is given, and what it may answer.
import * as z from 'zod'
import type { Role } from '../../role/schema.ts'

/** Of a setting what the reviewer's process depends on. */
export type ReviewerSetting = {
  readonly model?: string | undefined
  readonly instructions?: string | undefined
  readonly deadline_seconds?: number | undefined
  readonly second_opinion?:
    | { readonly model?: string | undefined; readonly command?: string | undefined }
    | undefined
}

export const verdicts = ['COMPLETE', 'ISSUES'] as const

export const answer = z.strictObject({
  verdict: z.enum(verdicts),
  summary: z.string(),
  message: z.string().optional(),
})
export type Answer = z.infer<typeof answer>

/** The same as the CLI needs it, which knows no newer dialect. */
export const shape = JSON.stringify({
  type: 'object',
  properties: {
    verdict: { type: 'string', enum: verdicts },
    summary: { type: 'string', description: 'What you looked at and what you found, in a few sentences.' },
    message: { type: 'string', description: 'With ISSUES: what the agent has to do, point by point.' },
  },
  required: ['verdict', 'summary'],
  additionalProperties: false,
})

export type Inspected =
  | {
      readonly kind: 'verdict'
      readonly verdict: Answer['verdict']
      readonly summary: string
      readonly message?: string
      readonly opinions?: string
      readonly cost_usd?: number
      readonly model?: string
      /** Whether the reviewer could neither write nor reach anything but its model. */
      readonly walls: boolean
    }
  | { readonly kind: 'failed'; readonly why: string }

/** `Setting` and `Review` come from `src/review/schema.ts`. */
export type Work<Setting = unknown, Review = unknown> = {
  readonly agent: string
  readonly session: string
  /** Of the session. */
  readonly directory: string
  readonly tree: string
  readonly role: Role
  readonly setting: Setting
  readonly review: Review
  readonly attempt: string
  /** The tree as it is now: what `snapshot` returned. */
  readonly now: string
}
