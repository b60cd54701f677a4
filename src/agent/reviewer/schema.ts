// What a reviewer of requests for permission is asked, and what it may answer.
import * as z from 'zod'

export const decisions = ['ALLOW', 'DENY', 'ASK_USER'] as const

export const answer = z.strictObject({ decision: z.enum(decisions), reason: z.string() })

/** The same as the CLI needs it, which knows no newer dialect. */
export const shape = JSON.stringify({
  type: 'object',
  properties: {
    decision: { type: 'string', enum: decisions },
    reason: { type: 'string', description: 'One sentence, in your own words.' },
  },
  required: ['decision', 'reason'],
  additionalProperties: false,
})

/** What a reviewer is told. Whatever goes wrong there is an `ask`. */
export type Request = {
  readonly agent: string
  readonly session: string
  readonly tool: string
  readonly input: unknown
  readonly cwd: string
  readonly call?: string | undefined
  /** Takes out of what is kept, or told, what is private to the session. */
  readonly hide?: ((text: string) => string) | undefined
}

export type Verdict = 'allow' | 'deny' | 'ask'

/** `failed`: the reviewer did not do its work; what it did instead is in `said`. */
export type Opinion = {
  readonly verdict: Verdict
  readonly reason: string
  readonly failed?: true
  readonly said?: string
}

/** Fails in a row, or is asked too often: then people are asked for a while. */
export type Breaker = {
  readonly failures: number
  /** When each of the latest reviews began. */
  readonly began: readonly number[]
  readonly open?: { readonly until: number; readonly why: string }
}
