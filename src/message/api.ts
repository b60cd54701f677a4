// The routes of messages.
import * as z from 'zod'
import { contract } from '../base/contract/schema.ts'
import { name } from '../base/name/schema.ts'
import { lane, message, messageId } from './schema.ts'

/** A message as it is told: with what it waits for. */
export const messageEntry = message
  .extend({ waits: z.string().optional().meta({ description: 'Why it is not handed over yet.' }) })
  .meta({ id: 'MessageEntry', description: 'A message and what it waits for.' })
export type MessageEntry = z.infer<typeof messageEntry>

const one = { params: z.object({ id: messageId }), reply: messageEntry }

export const messages = {
  send: contract({
    method: 'POST',
    path: '/messages',
    summary: 'Sends a message to an agent; answers when it is stored.',
    body: z.strictObject({
      to: name,
      text: message.shape.text,
      lane: lane.default('normal'),
      from: z
        .strictObject({ kind: z.enum(['person', 'agent']), name })
        .meta({ description: 'Who sends it.' }),
      id: messageId.optional().meta({ description: 'Sent again under the same id, it is the same message.' }),
      expects_response: z.boolean().default(false),
      closes: messageId.optional().meta({ description: 'The message that this one responds to.' }),
    }),
    reply: messageEntry,
    status: 201,
    errors: ['message_conflict', 'message_to_self', 'message_not_asked'],
  }),
  list: contract({
    method: 'GET',
    path: '/messages',
    summary: 'The messages of an agent, or of all, oldest first.',
    query: z.object({
      to: name.optional(),
      open: z.enum(['true', 'false']).optional().meta({ description: '`true`: only what is not settled.' }),
    }),
    reply: z.strictObject({ messages: z.array(messageEntry) }).meta({ id: 'MessagesReply' }),
  }),
  show: contract({
    ...one,
    method: 'GET',
    path: '/messages/:id',
    summary: 'One message; with `for`, when it has come that far or `seconds` are over.',
    query: z.object({
      for: z.enum(['started', 'settled', 'response']).optional(),
      seconds: z
        .string()
        .regex(/^([1-9]|[1-5]\d|60)$/, { error: 'must be a number from 1 to 60' })
        .optional(),
    }),
  }),
  withdraw: contract({
    ...one,
    method: 'POST',
    path: '/messages/:id/withdraw',
    summary: 'Takes back a message that was not handed over yet.',
    errors: ['message_begun'],
  }),
} as const
