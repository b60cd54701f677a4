// An approval: a question to a person, kept until it is known who answered it.
import * as z from 'zod'
import { name } from '../base/name/schema.ts'

export const lives = ['asked', 'sent', 'confirmed', 'expired', 'gone'] as const
export const life = z.enum(lives).meta({
  description:
    'asked: waits for an answer. sent: answered, and nothing has told yet whether that counted. confirmed: the agent went on by it. expired: denied, nobody answered in time. gone: nobody waits for it any more.',
})
export type Life = z.infer<typeof life>

const time = z.number().meta({ description: 'Milliseconds since 1970.' })

/** People type it. */
export const approvalId = z.string().regex(/^a[a-z0-9]{3,20}$/, { error: 'must be an id of an approval' })

export const verdict = z.enum(['allow', 'deny'])
export type Verdict = z.infer<typeof verdict>

export const always = z
  .enum(['session', 'role'])
  .meta({ description: 'The same call is allowed from now on: in this session, or to its role.' })
export type Always = z.infer<typeof always>

/** Where an answer came from; `dialog` and `other` are never given to us, only found out. */
export const via = z.enum(['cli', 'api', 'view', 'bridge', 'reviewer', 'rule', 'expiry'])
export type Via = z.infer<typeof via>

export const longestReason = 2_000

export const answer = z.strictObject({
  verdict,
  by: z.string().min(1).max(100).meta({ description: 'Who answered.' }),
  via,
  reason: z.string().max(longestReason).optional().meta({ description: 'What the agent is told.' }),
  always: always.optional(),
  interrupt: z.boolean().optional().meta({ description: 'A no that ends the turn.' }),
  at: time,
})
export type Answer = z.infer<typeof answer>

export const receipt = z
  .strictObject({
    verdict,
    won: z.union([via, z.enum(['dialog', 'other'])]).meta({
      description: 'Whose answer counted; dialog: the agent’s own, other: a rule of the agent’s program.',
    }),
    by: z.enum(['telemetry', 'call', 'result']).meta({ description: 'What told so.' }),
    at: time,
  })
  .meta({ description: 'What the agent went on by.' })
export type Receipt = z.infer<typeof receipt>

const input = z.record(z.string(), z.unknown())

export const question = z.strictObject({
  agent: name,
  role: z.string().optional().meta({ description: 'The role it works under.' }),
  pod: z.string().optional(),
  session: z.string().meta({ description: 'The session, by the id of its launch.' }),
  hook: z.string().meta({ description: 'The hook that waits: asked again, it is the same approval.' }),
  tool: z.string(),
  input: input.meta({ description: 'What it is to be called with; secrets masked, long texts cut.' }),
  cut: z.boolean().optional().meta({ description: 'The input is longer than what is shown here.' }),
  rule: z.string().optional().meta({ description: 'The rule that would allow exactly this.' }),
  call: z.string().optional().meta({ description: 'The call that it is about.' }),
  turn: z.string().optional(),
  subagent: z.string().optional(),
  terminal: z.boolean().meta({ description: 'A dialog asks the same at its terminal.' }),
  expires: time.optional().meta({ description: 'When it is denied if nobody has answered.' }),
})
export type Question = z.infer<typeof question>

export const approval = question
  .extend({
    id: approvalId,
    at: time,
    life,
    answer: answer.optional(),
    receipt: receipt.optional(),
    why: z.string().optional().meta({ description: 'Why nobody waits for it any more.' }),
  })
  .meta({ id: 'Approval', description: 'A question to a person, and who answered it.' })
export type Approval = z.infer<typeof approval>

/** Given to us. */
export type Answering = Omit<Answer, 'at'>

export type ApprovalSignal =
  | { readonly from: 'answer'; readonly answer: Answering }
  | { readonly from: 'clock' }
  /** Telemetry: who decided. `person` = at the dialog. */
  | { readonly from: 'decided'; readonly accepted: boolean; readonly person: boolean }
  /** The call was started, so somebody allowed it. */
  | { readonly from: 'ran' }
  /** Its result says that it was not started. */
  | { readonly from: 'unrun' }
  /** The agent has hung up on the hook. */
  | { readonly from: 'closed' }
  /** The turn, the subagent or the session is over. */
  | { readonly from: 'over'; readonly why: string }

const progress = approval.pick({ life: true, answer: true, receipt: true, why: true })

export const approvalEvents = {
  'approval.asked': approval,
  /** All that may have changed, whole: what is absent is not there. */
  'approval.answered': progress,
  'approval.confirmed': progress,
  'approval.expired': progress,
  'approval.gone': progress,
  /** Settled long ago: only the journal still tells of it. */
  'approval.forgotten': z.strictObject({}),
} as const
