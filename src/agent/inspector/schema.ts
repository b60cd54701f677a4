// What the reviewer of work is shown, and what it may answer.
import * as z from 'zod'
import { most, type Review, verdict } from '../../review/schema.ts'
import type { Changed } from '../../worktree/change/schema.ts'

export const answer = z.object({
  verdict,
  summary: z.string().trim().min(1),
  message: z.string().trim().optional(),
})
export type Answer = z.infer<typeof answer>

/** The same as the CLI needs it, which knows no newer dialect. */
export const shape = JSON.stringify({
  type: 'object',
  properties: {
    verdict: { type: 'string', enum: verdict.options },
    summary: { type: 'string', description: 'What you looked at and what you found, in a few sentences.' },
    message: { type: 'string', description: 'With ISSUES: what the agent has to do, point by point.' },
  },
  required: ['verdict', 'summary'],
  additionalProperties: false,
})

/** What is known of the work. Everything but `walls` and `since` was written by others. */
export type Brief = {
  readonly agent: string
  readonly tree: string
  readonly prompts: Review['prompts']
  readonly trigger?: Review['trigger'] | undefined
  /** What the last reviewer found, where it was not content. */
  readonly found?: { readonly summary: string; readonly message?: string | undefined } | undefined
  readonly changes: readonly Changed[]
  /** What the changes are measured by: `nothing` where all that is there is shown as new. */
  readonly since: 'approval' | 'start' | 'nothing'
  readonly ignored: readonly string[]
  readonly files: readonly string[]
  readonly walls: boolean
}

/** Of what is shown, in characters as they are sent. */
export const limits = {
  /** The changes of one file; of a larger one it is said that it changed. */
  file: 40_000,
  changes: 200_000,
  /** Names of files that changed. What does not fit was not shown at all. */
  names: 100_000,
  /** All names of the tree, as far as they fit. */
  listed: 20_000,
  summary: most.summary,
  message: most.message,
} as const

export type Inspected =
  | {
      readonly kind: 'verdict'
      readonly verdict: Answer['verdict']
      readonly summary: string
      readonly message?: string
      readonly opinions?: string
      readonly cost_usd?: number
      readonly model?: string
      /** Whether nothing but its model could be reached by the reviewer; without, it had no shell. */
      readonly walls: boolean
    }
  | { readonly kind: 'failed'; readonly why: string }
