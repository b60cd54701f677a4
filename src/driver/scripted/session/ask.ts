// One question to the model that the scenario plays, with the retries of the CLI.
import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { filled, pieces, stopOf, usageOf } from '../scenario/rules.ts'
import type { Reply } from '../scenario/schema.ts'
import type { Context, Conversation } from './context.ts'
import { backoff, costOf, retries, spend, type Trouble, troubleOf, type Usage, wireUsage } from './rules.ts'

export type Said = {
  text: string
  calls: { id: string; name: string; input: Record<string, unknown> }[]
  usage: Usage
  stop: string
}
/** `heard`: some of the answer had come before it was broken off. */
export type Asked = Said | { trouble: Trouble } | { aborted: true; heard: boolean }

const fresh = (prefix: string): string => `${prefix}${randomBytes(12).toString('hex')}`

const attempt = async (
  reply: Reply,
  context: Context,
  { signal, agent }: Conversation,
  hear: () => void,
): Promise<void> => {
  if (reply.delay_ms) await wait(reply.delay_ms, undefined, { signal })
  for (const [at, piece] of pieces(reply.text ?? '').entries()) {
    if (at > 0 && reply.piece_delay_ms) await wait(reply.piece_delay_ms, undefined, { signal })
    hear()
    if (!agent) context.screen.piece(piece)
  }
}

/** One line for each block, all of one message: whoever counts must count its id once. */
const record = (context: Context, conversation: Conversation, said: Said, ms: number): void => {
  const message = {
    id: fresh('msg_'),
    type: 'message',
    role: 'assistant',
    model: context.model,
    stop_reason: said.stop,
    stop_sequence: null,
    usage: wireUsage(said.usage),
  }
  const blocks = [
    ...(said.text === '' ? [] : [{ type: 'text', text: said.text }]),
    ...said.calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
  ]
  for (const block of blocks) {
    const uuid = conversation.transcript.assistant({ ...message, content: [block] }, { durationMs: ms })
    context.screen.emit({
      type: 'assistant',
      message: { ...message, content: [block] },
      parent_tool_use_id: conversation.parent ?? null,
      session_id: context.session,
      uuid,
    })
  }
}

export const askModel = async (context: Context, conversation: Conversation): Promise<Asked> => {
  const limit = Number(context.env.CLAUDE_CODE_MAX_RETRIES ?? 10)
  const began = performance.now()
  let heard = false
  for (let tried = 1; ; tried++) {
    const { said: last, reminders = [] } = conversation
    const played = context.player.next(last, conversation.agent !== undefined)
    const reply = filled(played, [...reminders, last].join('\n'))
    try {
      // An error says nothing first, however long it takes to come.
      await attempt(reply.error ? { ...reply, text: '' } : reply, context, conversation, () => {
        heard = true
      })
    } catch (error) {
      if (conversation.signal.aborted) return { aborted: true, heard }
      throw error
    }
    if (conversation.signal.aborted) return { aborted: true, heard }
    const trouble = troubleOf(reply)
    const ms = Math.round(performance.now() - began)
    if (!trouble) {
      const said: Said = {
        text: reply.text ?? '',
        calls: (reply.calls ?? []).map((call) => ({ id: fresh('toolu_'), ...call })),
        usage: usageOf(reply),
        stop: stopOf(reply),
      }
      record(context, conversation, said, ms)
      context.state.spent = spend(context.state.spent, context.model, said.usage, ms)
      context.telemetry.request(context.model, said.usage, costOf(context.model, said.usage), ms)
      return said
    }
    context.telemetry.event('api_error', {
      model: context.model,
      error: trouble.message,
      status_code: String(trouble.status ?? 'undefined'),
      duration_ms: ms,
      attempt: tried,
    })
    if (!retries(trouble) || tried > limit) return { trouble }
    const delay = backoff(tried, reply.error?.retry_after)
    context.screen.emit({
      type: 'system',
      subtype: 'api_retry',
      attempt: tried,
      max_retries: limit,
      retry_delay_ms: delay,
      error_status: trouble.status,
      error: trouble.type,
      session_id: context.session,
      uuid: randomUUID(),
    })
    context.screen.note(`API Error (${trouble.message}) · Retrying in ${Math.ceil(delay / 1000)} seconds…`)
    try {
      await wait(delay, undefined, { signal: conversation.signal })
    } catch {
      // Interrupted while it waited to try again.
      return { aborted: true, heard }
    }
  }
}
