// What is known of one session: facts heard from its hooks, transcript, telemetry and keeper. Its state is never
// stored beside them, it follows from them.
import * as z from 'zod'
import type { HookEvent, TelemetryEvent, TranscriptEvent } from '../driver/schema.ts'

const time = z.number().meta({ description: 'Milliseconds since 1970.' })
const count = z.number().min(0)

export const usage = z.strictObject({
  input: count,
  output: count,
  cacheRead: count,
  cacheWrite: count,
  costUsd: count,
})

export const backgroundWork = z.strictObject({ id: z.string(), kind: z.string(), description: z.string() })

const turn = z.strictObject({
  id: z.string().optional().meta({ description: 'Absent while a queued message is about to begin it.' }),
  awaits: z.array(z.string()).optional().meta({ description: 'Until then: what will begin it.' }),
  since: time,
  answered: z.boolean().meta({ description: 'The model has shown anything since the prompt.' }),
  review: z.boolean().optional().meta({ description: 'Its end is held while the work is reviewed.' }),
})

const openCall = z.strictObject({
  id: z.string(),
  tool: z.string(),
  permitted: z.boolean().optional().meta({ description: 'Its request for permission was granted.' }),
})

const waiting = z.strictObject({
  tool: z.string(),
  by: z.enum(['reviewer', 'person']),
  call: z.string().optional(),
  approval: z.string().optional(),
  subagent: z.string().optional(),
})
export type Waiting = z.infer<typeof waiting>

const over = z.discriminatedUnion('how', [
  z.strictObject({ how: z.literal('exited'), code: z.int().nullable(), signal: z.string().nullable() }),
  z.strictObject({ how: z.literal('lost') }),
])

export const limit = z.strictObject({
  what: z.string(),
  since: time,
  until: time,
  sure: z.boolean().meta({ description: 'The time was told; otherwise it is when to try again.' }),
})
export const trouble = z.strictObject({ what: z.string(), next: z.string(), since: time })

export const session = z
  .strictObject({
    id: z.string(),
    ids: z.array(z.string()).meta({ description: 'Every conversation it had: `/clear` begins another.' }),
    agent: z.string(),
    managed: z.boolean(),
    reviewer: z.boolean().meta({ description: 'An AI looks at requests for permission first.' }),
    launchedAt: time,
    reportBy: time.meta({ description: 'When its first hook must have reported.' }),
    heard: time.meta({ description: 'The latest signal.' }),
    since: time.meta({ description: 'When it came into its state.' }),
    started: z.boolean(),
    ending: z.boolean().meta({ description: 'The CLI said that it ends.' }),
    draining: z.boolean().meta({ description: 'It takes no new work.' }),
    over: over.optional(),
    unsupervised: z.string().optional(),
    turn: turn.optional(),
    doubt: time.optional().meta({ description: 'If nothing is heard until then, the turn is over.' }),
    ended: z.array(z.string()).meta({ description: 'The latest turns that are over.' }),
    told: z.string().optional().meta({ description: 'The turn that the transcript is telling of.' }),
    fresh: z.boolean().optional().meta({
      description: 'Of that turn it has told only a prompt that was queued: another may join it.',
    }),
    calls: z.array(openCall).meta({ description: 'Running calls of the main conversation.' }),
    asked: z.array(z.string()).meta({ description: 'Calls, subagents’ too, whose hook was asked.' }),
    closed: z.array(z.string()).meta({ description: 'Calls that are over.' }),
    waiting: z.array(waiting).meta({ description: 'Requests for permission without an answer.' }),
    compacting: z.boolean(),
    queue: z.array(z.string()).meta({ description: 'Beginnings of what the CLI has queued.' }),
    background: z.array(backgroundWork),
    limit: limit.optional(),
    trouble: trouble.optional(),
    usage,
    counted: z.array(z.string()).meta({ description: 'The latest requests in `usage`.' }),
    turns: z.int().min(0),
    draft: z.boolean().meta({ description: 'A prompt was given back and lies in the input line.' }),
    typed: time.optional().meta({ description: 'When a person last typed and did not submit.' }),
    output: time.optional().meta({ description: 'When anything was last printed.' }),
  })
  .meta({ id: 'Session', description: 'What is known of a session.' })
export type Session = z.infer<typeof session>

export type Doing = 'thinking' | 'tool' | 'permission review' | 'review' | 'compacting'

export type SessionState =
  | { readonly name: 'starting' | 'idle' | 'draining' | 'lost' | 'unmanaged' }
  | { readonly name: 'working'; readonly doing: Doing; readonly tool?: string }
  | { readonly name: 'blocked'; readonly tool: string; readonly approval?: string }
  | { readonly name: 'limited'; readonly what: string; readonly until: number; readonly sure: boolean }
  | { readonly name: 'error'; readonly what: string; readonly next: string }
  | { readonly name: 'exited'; readonly code: number | null; readonly signal: string | null }
  | { readonly name: 'unsupervised'; readonly why: string }

/** `call` is the call that a request for permission was matched to. */
export type Signal =
  /**
   * At its arrival; a prompt only once it is let in. `held`: the end of the turn waits for a review, and its
   * `answer` follows.
   */
  | { readonly from: 'hook'; readonly event: HookEvent; readonly call?: string; readonly held?: boolean }
  /** What we answered, where that changes what goes on: a refusal, or the end of a hold. */
  | { readonly from: 'answer'; readonly event: HookEvent; readonly call?: string; readonly refused: boolean }
  /** The CLI hung up on a hook that we still held: a person answered the dialog, or pressed Esc. */
  | { readonly from: 'closed'; readonly event: HookEvent; readonly call?: string }
  | { readonly from: 'transcript'; readonly event: TranscriptEvent }
  | { readonly from: 'telemetry'; readonly event: TelemetryEvent }
  | { readonly from: 'keeper'; readonly event: KeeperEvent }
  | { readonly from: 'approval'; readonly event: ApprovalEvent }
  | { readonly from: 'limits'; readonly what: string; readonly until?: number }
  | { readonly from: 'host'; readonly draining: boolean }
  /** Time has passed; `deadline` says when to tell. */
  | { readonly from: 'clock' }

export type KeeperEvent =
  | { readonly kind: 'exited'; readonly code: number | null; readonly signal: string | null }
  | { readonly kind: 'lost' }
  | { readonly kind: 'output' }
  /** `escape` by anybody; `text` and `submit` only by a person. */
  | { readonly kind: 'typed'; readonly key: 'escape' | 'text' | 'submit' }

export type ApprovalEvent =
  | {
      readonly kind: 'asked'
      readonly approval: string
      readonly tool: string
      readonly call?: string
      readonly subagent?: string
    }
  | { readonly kind: 'answered'; readonly approval: string; readonly refused: boolean }
