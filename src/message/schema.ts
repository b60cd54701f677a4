// A message: text for an agent, stored before it is answered for, and followed until its turn has ended.
import * as z from 'zod'
import { name } from '../base/name/schema.ts'

/** In the order in which they are served. */
export const lanes = ['interrupt', 'normal', 'idle-first', 'idle'] as const
export const lane = z.enum(lanes).meta({
  description:
    'interrupt: ends the running turn first. normal: at once, behind what runs. idle-first, idle: when nothing runs.',
})
export type Lane = z.infer<typeof lane>

export const lives = ['queued', 'sent', 'accepted', 'started', 'ended', 'failed', 'withdrawn'] as const
export const life = z.enum(lives).meta({
  description:
    'sent: typed, or about to be. accepted: the agent has it. started: it is in a turn. ended: that turn is over.',
})
export type Life = z.infer<typeof life>

const time = z.number().meta({ description: 'Milliseconds since 1970.' })

/** It stands in the header line and in a file name. */
export const messageId = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,63}$/, { error: 'must be an id of a message' })

export const sender = z.strictObject({
  kind: z.enum(['person', 'agent', 'bridge', 'agency']),
  name: z.string().min(1).max(100),
})
export type Sender = z.infer<typeof sender>

export const longestText = 250_000
/** More is not worth keeping twice: the transcript has all of it. */
export const longestAnswer = 20_000

const expects = z.strictObject({
  reminded: z.int().min(0).meta({ description: 'How often the agent was reminded.' }),
  remindedAt: time.optional(),
  closedBy: messageId.optional().meta({ description: 'The response.' }),
})

export const message = z
  .strictObject({
    id: messageId,
    from: sender,
    to: name,
    text: z
      .string()
      .max(longestText)
      .refine((text) => /\S/.test(text), { error: 'must not be empty' }),
    lane,
    at: time,
    life,
    session: z.string().optional().meta({ description: 'The session it was typed into.' }),
    sentAt: time.optional(),
    escapedAt: time.optional().meta({ description: 'When the running turn was interrupted for it.' }),
    turn: z.string().optional().meta({ description: 'The turn it is in.' }),
    seen: z
      .boolean()
      .optional()
      .meta({ description: 'Its turn is known by more than the prompt: it did begin.' }),
    end: z
      .enum(['answered', 'failed', 'interrupted', 'over'])
      .optional()
      .meta({ description: 'How its turn ended, where somebody has told; over: with its session.' }),
    reason: z.string().optional().meta({ description: 'Why it failed, was withdrawn, or ended early.' }),
    answer: z.string().optional().meta({ description: 'The last words of the turn it was in.' }),
    unsure: z.boolean().optional().meta({ description: 'It may have arrived all the same.' }),
    expects: expects.optional().meta({ description: 'A response is expected.' }),
    closes: messageId.optional().meta({ description: 'The message that this one responds to.' }),
  })
  .meta({ id: 'Message', description: 'Text for an agent.' })
export type Message = z.infer<typeof message>

/** Beside what the session hears. */
export type MessageSignal =
  /** Stored before a key is typed: after a crash nobody wonders whether to type it. */
  | { readonly from: 'sending'; readonly session: string }
  | { readonly from: 'escaping' }
  /** The keeper knows what it typed; this was not. */
  | { readonly from: 'untyped' }
  /** Nothing confirmed it in time. */
  | { readonly from: 'silence' }
  /** Our own hook refused it. */
  | { readonly from: 'refused'; readonly reason: string }
  | { readonly from: 'withdrawn'; readonly reason: string }
  /** No turn runs any more, and nobody has told how its own ended. */
  | { readonly from: 'adrift' }
  /** The session is over. `complete`: its transcript was read to the end. */
  | { readonly from: 'over'; readonly complete: boolean }
  | { readonly from: 'reminded' }
  | { readonly from: 'response'; readonly message: string }

const progress = message.omit({
  text: true,
  from: true,
  to: true,
  lane: true,
  at: true,
  id: true,
  closes: true,
})

export const messageEvents = {
  'message.queued': message,
  /** All that may have changed, whole: what is absent is gone. */
  'message.changed': progress,
  /** Settled long ago: only the journal still tells of it. */
  'message.forgotten': z.strictObject({}),
} as const
