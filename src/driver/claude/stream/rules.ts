import type * as z from 'zod'
import type { Result, StreamEvent, Usage } from '../../schema.ts'
import { type Block, type Line, line, type modelUsage, resultLine } from './schema.ts'

/** What was read of a line that has not ended. Text beyond the cap is counted, not kept. */
export type Rest = { readonly text: string; readonly skipped: number }
export const nothing: Rest = { text: '', skipped: 0 }

/** A line, or how long one was that is too long to be read. */
export type Cut = { readonly text: string; readonly length: number }

/** Splits output into lines. `cap` bounds one line: a CLI gone mad must not fill our memory. */
export const split = (
  before: Rest,
  chunk: string,
  cap: number,
): { readonly lines: readonly Cut[]; readonly rest: Rest } => {
  const lines: Cut[] = []
  let { text, skipped } = before
  const take = (piece: string): void => {
    const room = Math.max(0, cap - text.length)
    text += piece.slice(0, room)
    skipped += Math.max(0, piece.length - room)
  }
  let start = 0
  for (let end = chunk.indexOf('\n'); end >= 0; end = chunk.indexOf('\n', start)) {
    take(chunk.slice(start, end))
    lines.push({ text, length: text.length + skipped })
    text = ''
    skipped = 0
    start = end + 1
  }
  take(chunk.slice(start))
  return { lines, rest: { text, skipped } }
}

/** How much of a line that is no protocol is worth keeping. */
const glimpse = 200

const noise = (text: string, length = text.length): StreamEvent => ({
  kind: 'noise',
  text: text.slice(0, glimpse),
  length,
})

/** The totals of all models. */
export const totalOf = (usage: z.infer<typeof modelUsage>, costUsd: number): Usage => {
  const models = Object.values(usage)
  const add = (name: 'inputTokens' | 'outputTokens' | 'cacheReadInputTokens' | 'cacheCreationInputTokens') =>
    models.reduce((total, model) => total + model[name], 0)
  return {
    input: add('inputTokens'),
    output: add('outputTokens'),
    cacheRead: add('cacheReadInputTokens'),
    cacheWrite: add('cacheCreationInputTokens'),
    costUsd,
  }
}

const result = (value: unknown): StreamEvent | undefined => {
  const read = resultLine.safeParse(value)
  if (!read.success) return undefined
  const { data } = read
  const found: Result = {
    session: data.session_id,
    isError: data.is_error,
    subtype: data.subtype,
    reason: data.terminal_reason,
    text: data.result ?? data.errors?.join('\n') ?? '',
    turns: data.num_turns,
    ...(data.api_error_status === undefined ? {} : { status: data.api_error_status }),
    ...((data.api_error ?? data.api_error_type)
      ? { errorType: data.api_error ?? data.api_error_type ?? '' }
      : {}),
    denials: data.permission_denials.map((one) => ({
      id: one.tool_use_id,
      tool: one.tool_name,
      input: one.tool_input,
    })),
    total: totalOf(data.modelUsage, data.total_cost_usd),
    ...(data.structured_output === undefined ? {} : { structured: data.structured_output }),
  }
  return { kind: 'result', result: found }
}

/**
 * Did the tool of this result really start? An accepted decision says yes. Without one, what the CLI turned
 * down itself, what a hook denied and what the person refused did not; all else counts as run. The words
 * alone decide only for an error, since a tool's own output may say anything.
 */
export const ran = (found: Block, decision: string | undefined, refusal: string | undefined): boolean => {
  if (decision === 'accept') return true
  if (decision !== undefined || refusal !== undefined) return false
  const { content } = found
  return !(found.is_error === true && typeof content === 'string' && content.startsWith('<tool_use_error>'))
}

const fromBlocks = (from: Line, blocks: readonly Block[]): readonly StreamEvent[] => {
  const parent = from.parent_tool_use_id ? { parent: from.parent_tool_use_id } : {}
  return blocks.flatMap((found): readonly StreamEvent[] => {
    const { type, id, name, text, tool_use_id: call } = found
    if (from.type === 'assistant' && type === 'text' && text !== undefined)
      return [{ kind: 'said', text, ...parent }]
    if (type === 'tool_use' && id !== undefined && name !== undefined)
      return [{ kind: 'called', call: { id, tool: name, input: found.input }, ...parent }]
    if (type === 'tool_result' && call !== undefined) {
      const meta = from.tool_result_meta?.find((one) => one.id === call)
      const started = ran(found, meta?.permission_decision?.decision, meta?.non_execution_kind)
      return [{ kind: 'ended', ended: { call, ok: found.is_error !== true, ran: started }, ...parent }]
    }
    if (from.type === 'user' && type === 'text' && text?.startsWith('[Request interrupted by user'))
      return [{ kind: 'interrupted' }]
    return []
  })
}

const answered = ({ type, message }: Line): readonly StreamEvent[] => {
  if (type !== 'assistant' || message?.id === undefined || message.usage === undefined) return []
  const { id, usage } = message
  return [
    {
      kind: 'answered',
      id,
      usage: {
        input: usage.input_tokens,
        output: usage.output_tokens,
        cacheRead: usage.cache_read_input_tokens,
        cacheWrite: usage.cache_creation_input_tokens,
      },
    },
  ]
}

const failed = (from: Line, blocks: readonly Block[]): StreamEvent => ({
  kind: 'failed',
  error: typeof from.error === 'string' ? from.error : '',
  ...(from.api_error_status === undefined ? {} : { status: from.api_error_status }),
  text: blocks.map((one) => one.text ?? '').join(''),
})

const fromSystem = (from: Line): StreamEvent => {
  switch (from.subtype) {
    case 'init':
      return {
        kind: 'started',
        session: from.session_id ?? '',
        model: from.model ?? '',
        mode: from.permissionMode ?? '',
      }
    case 'api_retry':
      return {
        kind: 'retrying',
        attempt: from.attempt ?? 0,
        of: from.max_retries ?? 0,
        waitMs: from.retry_delay_ms ?? 0,
        ...(from.error_status === undefined ? {} : { status: from.error_status }),
        error: typeof from.error === 'string' ? from.error : '',
      }
    case 'compact_boundary':
      return { kind: 'compacted' }
    default:
      // A hook said no, or there was none to say anything: either way the prompt was never sent.
      if (from.prompt_submit_outcome && from.prevent_continuation)
        return { kind: 'prompt_blocked', reason: from.prompt_submit_outcome.reason ?? from.content ?? '' }
      return { kind: 'other', type: `system/${from.subtype ?? ''}` }
  }
}

const limited = (info: NonNullable<Line['rate_limit_info']>): StreamEvent => ({
  kind: 'limited',
  rejected: info.status === 'rejected',
  // Seconds since the epoch, as every clock of this API.
  ...(info.resetsAt === undefined ? {} : { resetsAt: info.resetsAt * 1000 }),
})

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON: the caller makes noise of it.
    return undefined
  }
}

/** One line of output. Never throws: what it cannot read it calls by its type, or noise. */
export const readStream = (text: string): readonly StreamEvent[] => {
  if (text.trim() === '') return []
  const value = parse(text)
  const read = line.safeParse(value)
  if (!read.success) return [noise(text)]
  const from = read.data
  const { message } = from
  if (from.type === 'result') return [result(value) ?? noise(text)]
  if (from.type === 'system') return [fromSystem(from)]
  if (from.rate_limit_info) return [limited(from.rate_limit_info)]
  if (from.type !== 'assistant' && from.type !== 'user') return [{ kind: 'other', type: from.type }]
  const blocks = typeof message?.content === 'string' ? [] : (message?.content ?? [])
  return from.is_api_error_message ? [failed(from, blocks)] : [...answered(from), ...fromBlocks(from, blocks)]
}

export const readCut = ({ text, length }: Cut): readonly StreamEvent[] =>
  length > text.length ? [noise(text, length)] : readStream(text)
