// The routes of reviews.
import * as z from 'zod'
import { contract } from '../base/contract/schema.ts'
import { most, review, state, traceEvent, verdict } from './schema.ts'

const session = z.string().min(1).max(200).meta({ description: 'The session, as its CLI names it.' })
const time = z.number().meta({ description: 'Milliseconds since 1970.' })
const agent = z.string().optional().meta({ description: 'Whose session it is, where that is known.' })

export const reviewLine = z
  .strictObject({
    session,
    agent,
    state,
    verdict: verdict.optional().meta({ description: 'The last one.' }),
    blocks: z.int().min(0),
    at: time,
    changed: time,
    about: z.string().meta({ description: 'The gated call, or else the last prompt: its beginning.' }),
  })
  .meta({ id: 'ReviewLine', description: 'What lists show of a review.' })
export type ReviewLine = z.infer<typeof reviewLine>

const count = z.int().min(0)
const part = z.number().min(0).max(1).optional()

export const stat = z
  .strictObject({
    template: z.string().meta({ description: 'The text; `process` = none was needed.' }),
    tries: count,
    success: count.meta({ description: 'Ended with a verdict.' }),
    not_spawned: count,
    no_decision: count,
    bad_session_id: count,
    pending: count.meta({ description: 'Not over yet; counts for nothing, as what was withdrawn.' }),
    withdrawn: count,
    mean_blocks: z.number().optional().meta({ description: 'Blocks shown before a verdict came.' }),
    rate: part.meta({ description: 'Successes among those that ended.' }),
    low: part.meta({ description: 'The rate lies from here…' }),
    high: part.meta({ description: '…to here, with 95 % confidence.' }),
  })
  .meta({ id: 'ReviewStat', description: 'What came of one text that asks for a review.' })
export type ReviewStat = z.infer<typeof stat>

const one = { params: z.object({ session }) }
const shown = z.strictObject({ review, agent }).meta({ id: 'ReviewReply' })

export const reviews = {
  list: contract({
    method: 'GET',
    path: '/reviews',
    summary: 'Every session that was or is to be reviewed, the latest first.',
    reply: z.strictObject({ reviews: z.array(reviewLine) }).meta({ id: 'ReviewsReply' }),
  }),
  show: contract({
    ...one,
    method: 'GET',
    path: '/reviews/:session',
    summary: 'Where the review of a session stands: prompts, gated call, attempts, verdicts.',
    reply: shown,
    errors: ['review_unknown'],
  }),
  trace: contract({
    ...one,
    method: 'GET',
    path: '/reviews/:session/trace',
    summary: 'What happened in the reviews of a session, oldest first.',
    reply: z.strictObject({ events: z.array(traceEvent) }).meta({ id: 'ReviewTraceReply' }),
    errors: ['review_unknown'],
  }),
  decide: contract({
    ...one,
    method: 'POST',
    path: '/reviews/:session/verdict',
    summary: 'A verdict about what waits for one: of the reviewer, with its secret, or of a person.',
    body: z.strictObject({
      verdict,
      summary: z.string().trim().min(1).max(most.summary).meta({ description: 'What was found.' }),
      message: z
        .string()
        .max(most.message)
        .optional()
        .meta({ description: 'What the agent is told; absent = the summary.' }),
      opinions: z.string().max(most.opinions).optional(),
      secret: z.string().max(200).optional().meta({
        description:
          'Of the reviewer. Absent = a person; empty = an agent without one: refused, and recorded.',
      }),
      by: z.string().max(200).optional().meta({ description: 'The person; absent = api.' }),
    }),
    reply: shown,
    errors: ['review_unknown', 'review_not_permitted', 'review_not_pending'],
  }),
  clean: contract({
    method: 'POST',
    path: '/reviews/clean',
    summary: 'Forgets reviews that were left alone for so long; never one that is open.',
    body: z.strictObject({
      older_seconds: z.int().min(0).meta({ description: '0 = however young.' }),
      dry_run: z.boolean().optional().meta({ description: 'Only say what would be forgotten.' }),
    }),
    reply: z
      .strictObject({
        removed: z.array(reviewLine),
        kept: z.array(z.strictObject({ ...reviewLine.shape, why: z.enum(['open', 'young']) })),
      })
      .meta({ id: 'ReviewsCleaned' }),
  }),
  stats: contract({
    method: 'GET',
    path: '/reviews/stats',
    summary: 'What came of the texts that asked for a review.',
    query: z.object({
      days: z
        .string()
        .regex(/^[1-9]\d{0,4}$/, { error: 'must be a whole number of days' })
        .optional()
        .meta({ description: 'Of the last so many; default 30.' }),
    }),
    reply: z.strictObject({ days: z.int(), stats: z.array(stat) }).meta({ id: 'ReviewStatsReply' }),
  }),
} as const
