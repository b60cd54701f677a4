// What the CLI sent to the Messages API, read the way a scenario needs it.
import type { IncomingHttpHeaders } from 'node:http'

export type Block = {
  type: string
  text?: string
  content?: unknown
  tool_use_id?: string
  is_error?: boolean
}
export type Turn = { role: string; content: string | Block[] }
export type Body = {
  model: string
  stream?: boolean
  system?: string | Block[]
  messages: Turn[]
  tools?: { name: string }[]
  max_tokens?: number
}
export type Ask = {
  path: string
  headers: IncomingHttpHeaders
  body: Body
  /** What was said last by a person, a hook or a task notification. */
  said: string
  subagent: boolean
}

export const blocks = (content: string | Block[]): Block[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content

const reminder = /^\s*<system-reminder>/
const carried = /<task-notification>|The user sent a new message while you were working/

/** The CLI's own reminders are not speech, unless they carry someone else's. */
const speech = ({ type, text = '' }: Block) => type === 'text' && (!reminder.test(text) || carried.test(text))

/**
 * Tool results are not speech, and neither is a `role: "system"` turn. The last block counts, not the last
 * message: a prompt that got no answer is sent again, in one message with the next.
 */
export const lastSaid = (messages: Turn[]): string =>
  messages
    .filter((turn) => turn.role === 'user')
    .flatMap((turn) => blocks(turn.content))
    .filter(speech)
    .map((block) => block.text ?? '')
    .findLast((text) => text.trim() !== '') ?? ''

/** Everything a model would have before its eyes, for a case that asks what reached it. */
export const seen = (body: Body): string => JSON.stringify([body.system, body.messages])

export const toolResults = (body: Body): Block[] =>
  body.messages.flatMap((turn) => blocks(turn.content)).filter((block) => block.type === 'tool_result')

/** The CLI names its session for its own lists: no part of the conversation. */
export const isAside = ({ body, said }: Pick<Ask, 'body' | 'said'>): boolean =>
  (body.tools ?? []).length === 0 && said.startsWith('<session>')
