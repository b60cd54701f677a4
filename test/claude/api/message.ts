// A reply of a scenario as a message of the Messages API: whole, or as the events of a stream.
import { randomUUID } from 'node:crypto'
import { pieces, stopOf, usageOf } from '../../../src/driver/scripted/scenario/rules.ts'
import type { Reply } from '../../../src/driver/scripted/scenario/schema.ts'

type Content =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: Record<string, unknown> }
export type Message = ReturnType<typeof message>
export type Event = { type: string } & Record<string, unknown>

const id = (prefix: string) => `${prefix}_${randomUUID().replaceAll('-', '').slice(0, 24)}`

export const message = (reply: Reply, model: string) => {
  const calls = reply.calls ?? []
  const text: Content[] =
    reply.text !== undefined || calls.length === 0 ? [{ type: 'text', text: reply.text ?? '' }] : []
  return {
    id: id('msg'),
    type: 'message',
    role: 'assistant',
    model,
    content: [
      ...text,
      ...calls.map(
        (call): Content => ({ type: 'tool_use', id: id('toolu'), name: call.name, input: call.input }),
      ),
    ],
    stop_reason: stopOf(reply),
    stop_sequence: null,
    usage: {
      input_tokens: usageOf(reply).input,
      output_tokens: usageOf(reply).output,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    },
  }
}

const block = (content: Content, index: number): Event[] => {
  const start = content.type === 'text' ? { type: 'text', text: '' } : { ...content, input: {} }
  const deltas =
    content.type === 'text'
      ? pieces(content.text).map((text) => ({ type: 'text_delta', text }))
      : [{ type: 'input_json_delta', partial_json: JSON.stringify(content.input) }]
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
}

export const events = (whole: Message): Event[] => [
  {
    type: 'message_start',
    message: {
      ...whole,
      content: [],
      stop_reason: null,
      usage: { ...whole.usage, output_tokens: 1 },
    },
  },
  ...whole.content.flatMap(block),
  {
    type: 'message_delta',
    delta: { stop_reason: whole.stop_reason, stop_sequence: null },
    usage: { output_tokens: whole.usage.output_tokens },
  },
  { type: 'message_stop' },
]
