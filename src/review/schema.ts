// A review: whether the work of one session was looked at by somebody else, and what they said.
import * as z from 'zod'
import type { review as file } from '../role/review/schema.ts'

const time = z.number().meta({ description: 'Milliseconds since 1970.' })
const digest = z.string().regex(/^[0-9a-f]{64}$/)

/** Of what agents, people and reviewers write, in characters. */
export const most = {
  prompt: 10_000,
  /** All that are kept, together. */
  prompts: 40_000,
  input: 10_000,
  summary: 2_000,
  message: 10_000,
  opinions: 10_000,
  /** Of a verdict that is not the last. */
  past: 500,
  decisions: 50,
  attempts: 50,
  why: 1_000,
} as const

/** What clocks may differ by, in milliseconds. */
export const skew = 5_000

export const states = ['idle', 'pending', 'blocked', 'approved', 'escalated'] as const
export const state = z.enum(states).meta({
  description:
    'idle: nothing to review. pending: a review is needed, the agent works on. blocked: the end of its turn was refused, or a reviewer is at work. approved: COMPLETE. escalated: too many blocks, a person has to look; gates stay closed.',
})
export type ReviewState = z.infer<typeof state>

export const verdict = z.enum(['COMPLETE', 'ISSUES'])
export type Verdict = z.infer<typeof verdict>

export const prompt = z.strictObject({
  text: z.string().meta({ description: 'What the person asked for.' }),
  at: time,
  cut: z.boolean().optional().meta({ description: 'It is longer than what is kept.' }),
})
export type Prompt = z.infer<typeof prompt>

export const input = z
  .strictObject({
    value: z.unknown().meta({ description: 'The input; where it was cut, the beginning of its JSON.' }),
    cut: z.boolean().optional(),
    sha256: digest.meta({ description: 'Of the tool and the whole input, as canonical JSON.' }),
    size: z.int().min(0).meta({ description: 'Bytes of the whole input as JSON.' }),
  })
  .meta({ description: 'What a tool was to be called with; at most 10 KB of it.' })
export type Input = z.infer<typeof input>

export const trigger = z
  .strictObject({
    tool: z.string(),
    input,
    at: time,
    pattern: z.string().meta({ description: 'The pattern of the gate that it fits.' }),
  })
  .meta({ description: 'The call that a gate has stopped.' })
export type Trigger = z.infer<typeof trigger>

export const outcomes = [
  'pending',
  'success',
  'not_spawned',
  'no_decision',
  'bad_session_id',
  'withdrawn',
] as const
export const outcome = z.enum(outcomes).meta({
  description:
    'success: it ended with a verdict. not_spawned: the agent was asked, and started no reviewer. no_decision: the reviewer left without a verdict. bad_session_id: it decided about another session. withdrawn: nobody waits for it any more.',
})
export type Outcome = z.infer<typeof outcome>

export const attempt = z
  .strictObject({
    id: z.string(),
    by: z.enum(['process', 'subagent']).meta({ description: 'Who reviews.' }),
    template: z.string().optional().meta({ description: 'The text that asked for it.' }),
    at: time,
    blocks: z.int().min(0).meta({ description: 'How often the end of the turn had been refused.' }),
    outcome,
    reviewer: z.string().optional().meta({ description: 'The reviewer that came of it.' }),
    begun: time.optional().meta({ description: 'Since when a reviewer is at work.' }),
    secret: digest.optional().meta({ description: 'SHA-256 of what the reviewer alone was given.' }),
    input: digest.optional().meta({ description: 'The stopped call that it was asked about.' }),
    tree: z.string().optional().meta({ description: 'Hash of the work tree when its reviewer came.' }),
    asked: z.int().optional().meta({ description: 'How often it was held because it had not decided.' }),
    slipped: z.boolean().optional().meta({ description: 'It named another session once.' }),
    verdict: verdict.optional(),
    ended: time.optional(),
    why: z.string().optional().meta({ description: 'Why there is no verdict.' }),
  })
  .meta({ description: 'One request for a review, and what came of it.' })
export type Attempt = z.infer<typeof attempt>

export const decision = z
  .strictObject({
    verdict,
    summary: z.string(),
    message: z.string().optional().meta({ description: 'What the agent is told.' }),
    opinions: z.string().optional().meta({ description: 'What others said who were asked.' }),
    by: z.enum(['process', 'subagent', 'person']),
    name: z.string().optional().meta({ description: 'The person.' }),
    attempt: z.string().optional(),
    at: time,
    tree: z.string().optional().meta({ description: 'Hash of the work tree that was looked at.' }),
    cost_usd: z.number().optional(),
    model: z.string().optional(),
    tool: z.string().optional().meta({ description: 'The tool of the call that a gate had stopped.' }),
    input: digest.optional().meta({ description: 'And its input.' }),
  })
  .meta({ description: 'What a reviewer said.' })
export type Decision = z.infer<typeof decision>

export const approval = z
  .strictObject({
    at: time,
    since: time.meta({ description: 'The same, by a clock that never goes back.' }),
    turn: z.int().meta({ description: 'How many prompts there had been.' }),
    input: digest.optional().meta({ description: 'The call that it is about.' }),
    used: z.string().optional().meta({ description: 'The call that has used it up, for scope `tool`.' }),
    tree: z.string().optional(),
    over: z.boolean().optional().meta({ description: 'The session that it was for has ended.' }),
  })
  .meta({ description: 'What lets gated calls pass.' })
export type Approval = z.infer<typeof approval>

export const review = z
  .strictObject({
    session: z.string().meta({ description: 'The session.' }),
    at: time,
    changed: time,
    state,
    cause: z
      .enum(['prompt', 'always', 'gate', 'changed'])
      .optional()
      .meta({ description: 'Why a review is needed; changed: the work has, after its verdict.' }),
    blocks: z.int().min(0).meta({ description: 'How often the end of this turn was refused.' }),
    tripped: time.optional().meta({ description: 'When there were too many blocks.' }),
    turn: z.int().min(0).meta({ description: 'How many prompts people have sent.' }),
    again: z.boolean().optional().meta({ description: 'A review was asked for while one is at work.' }),
    tell: z.string().optional().meta({ description: 'What the agent is told at the end of its turn.' }),
    prompts: z.array(prompt),
    trigger: trigger.optional(),
    approval: approval.optional(),
    decisions: z.array(decision).meta({ description: 'Oldest first; at most 50.' }),
    attempts: z.array(attempt).meta({ description: 'Oldest first; at most 50.' }),
    refused: z.int().min(0).meta({ description: 'Verdicts of those who may not give one.' }),
    compacted: z.int().min(0).meta({ description: 'Events that are no longer in its trace.' }),
  })
  .meta({ id: 'ReviewRecord', description: 'Where the review of one session stands.' })
export type Review = z.infer<typeof review>

/** Whole lists would make the journal grow with each change: what is added is told alone. */
export const change = z.strictObject({
  set: review.omit({ prompts: true, decisions: true }).partial(),
  gone: z.array(z.string()).optional(),
  prompt: prompt.optional(),
  decision: decision.optional(),
})
export type Change = z.infer<typeof change>

export const reviewEvents = {
  'review.opened': review,
  'review.changed': change,
  'review.forgotten': z.strictObject({}),
} as const

/** The activity of a review, and the names that people know from `roz trace`. */
export const traceNames = {
  'review.session_started': 'SessionStart',
  'review.prompt_received': 'PromptReceived',
  'review.gate_blocked': 'GateBlocked',
  'review.gate_allowed': 'GateAllowed',
  'review.tool_completed': 'ToolCompleted',
  'review.stop_called': 'StopHookCalled',
  'review.reviewer_started': 'ReviewerStarted',
  'review.reviewer_left': 'ReviewerLeft',
  'review.inspected': 'Inspected',
  'review.verdict_given': 'RozDecision',
  'review.verdict_refused': 'DecisionRefused',
  'review.trace_compacted': 'TraceCompacted',
  'review.session_ended': 'SessionEnd',
} as const
export type TraceType = keyof typeof traceNames

export const traceEvent = z
  .strictObject({
    seq: z.int().positive(),
    at: z.iso.datetime(),
    type: z.string().meta({ description: '`review.gate_blocked`.' }),
    name: z.string().meta({ description: '`GateBlocked`.' }),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'ReviewTraceEvent', description: 'One thing that happened to a review.' })
export type TraceEvent = z.infer<typeof traceEvent>

/** `review:` of config.yaml and of a role, joined and complete. */
export type Setting = {
  readonly mode: 'prompt' | 'always' | 'never'
  readonly reviewer: {
    readonly kind: 'process' | 'subagent'
    readonly model?: string
    readonly instructions?: string
    readonly deadline_seconds: number
    readonly second_opinion?: { readonly model?: string; readonly command?: readonly string[] }
  }
  readonly gates: {
    readonly tools: readonly string[]
    readonly skip: readonly string[]
    readonly approval_scope: 'session' | 'prompt' | 'tool'
    readonly approval_ttl_seconds?: number
  }
  readonly circuit_breaker: { readonly max_blocks: number; readonly cooldown_seconds: number }
  readonly templates: { readonly active: string; readonly weights: Readonly<Record<string, number>> }
  readonly trace: { readonly max_events: number }
  readonly bind_tree: boolean
}
export type ReviewFile = z.infer<typeof file>

export type Gate =
  | { readonly kind: 'pass' }
  | {
      readonly kind: 'closed'
      readonly pattern: string
      readonly reason: string
      /** begin: nobody reviews yet, and a process has to. wait: one is at work. spawn: the agent has to.
       * none: one has just found issues, which the reason tells; the next call begins a new review. */
      readonly need: 'begin' | 'wait' | 'spawn' | 'none'
    }

export type Stop =
  | { readonly kind: 'pass'; readonly warning?: string; readonly escalated?: true }
  | { readonly kind: 'block'; readonly reason: string }
  /** Let the reviewer work, then ask again. */
  | { readonly kind: 'review' }

export type Left = { readonly kind: 'pass' } | { readonly kind: 'block'; readonly reason: string }

export type Said = {
  readonly verdict: Verdict
  readonly summary: string
  readonly message?: string | undefined
  readonly opinions?: string | undefined
  readonly tree?: string | undefined
  readonly cost_usd?: number | undefined
  readonly model?: string | undefined
}

/** A secret comes as its SHA-256: the rules never see one. */
export type Decider =
  | { readonly kind: 'process'; readonly attempt: string }
  | { readonly kind: 'subagent'; readonly secret: string }
  | { readonly kind: 'person'; readonly name: string }

/** The text that asks an agent to spawn a reviewer. */
export type Template = { readonly id: string; readonly text: string }

/** `work`: no person asks, but work begins: a message of another agent, a nudge. */
export type Spoken = { readonly text: string; readonly person: boolean; readonly work?: true }

export type Signal =
  | { readonly from: 'started'; readonly source: string }
  | ({ readonly from: 'prompted' } & Spoken)
  | {
      readonly from: 'gated'
      readonly call: string
      readonly tool: string
      readonly input: Input
      readonly pattern: string
      readonly tree?: string | undefined
      /** Of the attempt that it may be. */
      readonly attempt: string
    }
  | {
      readonly from: 'stopped'
      readonly again: boolean
      readonly background: boolean
      readonly tree?: string | undefined
      readonly template: Template
      readonly attempt: string
    }
  | { readonly from: 'begun'; readonly attempt: string }
  | { readonly from: 'failed'; readonly attempt: string; readonly why: string }
  | {
      readonly from: 'spawned'
      readonly reviewer: string
      readonly secret: string
      readonly attempt: string
      readonly tree?: string | undefined
    }
  | { readonly from: 'left'; readonly reviewer: string }
  | { readonly from: 'decided'; readonly said: Said; readonly by: Decider }
  /** The reviewer has named another session. */
  | { readonly from: 'slipped'; readonly secret: string }
  | { readonly from: 'compacted'; readonly removed: number }
  | { readonly from: 'ended'; readonly reason: string }

/** Why a verdict does not count. */
export type Refusal = 'not_permitted' | 'not_pending'

/** What each signal is answered with. */
export type Answers = {
  started: undefined
  prompted: undefined
  gated: Gate
  stopped: Stop
  begun: Attempt
  failed: undefined
  spawned: boolean
  left: Left
  decided: Refusal | undefined
  slipped: undefined
  compacted: undefined
  ended: undefined
}

export type Trace = { readonly type: TraceType; readonly data: Readonly<Record<string, unknown>> }

export type Heard<From extends keyof Answers> = {
  readonly review: Review
  readonly answer: Answers[From]
  readonly trace: readonly Trace[]
}
