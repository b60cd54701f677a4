import type { TranscriptEvent } from '../../schema.ts'
import { findHeader, promptOrigin } from '../header/rules.ts'
import { ran, totalOf } from '../stream/rules.ts'
import type { Block } from '../stream/schema.ts'
import { type Line, line } from './schema.ts'

/** The hash the CLI puts behind a directory name that is too long: 31 times the last, by UTF-16 unit. */
const hash = (text: string): string => {
  let value = 0
  for (let index = 0; index < text.length; index++)
    value = (Math.imul(value, 31) + text.charCodeAt(index)) | 0
  return Math.abs(value).toString(36)
}

const longest = 200

/** The CLI sees the directory as the kernel names it: `cwd` must have its symbolic links resolved. */
export const transcriptPath = (config: string, cwd: string, session: string): string => {
  const plain = cwd.replace(/[^a-zA-Z0-9]/g, '-')
  const folder = plain.length <= longest ? plain : `${plain.slice(0, longest)}-${hash(cwd)}`
  return `${config}/projects/${folder}/${session}.jsonl`
}

const withHeader = (text: string) => {
  const header = findHeader(text)
  return { text, ...(header ? { header } : {}) }
}

const fromQueue = (from: Line): TranscriptEvent => {
  const text = typeof from.content === 'string' ? from.content : undefined
  if (from.operation === 'enqueue') return { kind: 'queued', ...withHeader(text ?? '') }
  const entered = from.operation === 'remove' && from.reason === 'absorbed_mid_turn'
  return { kind: 'unqueued', entered, ...(text === undefined ? {} : withHeader(text)) }
}

const speaker = (from: Line) => (from.isSidechain && from.agentId ? { subagent: from.agentId } : {})

const fromBlock = (from: Line, found: Block): TranscriptEvent | undefined => {
  const { type, text, id, name, tool_use_id: call } = found
  const who = speaker(from)
  if (from.type === 'assistant' && type === 'text' && text !== undefined)
    return { kind: 'said', text, ...who }
  if (type === 'tool_use' && id !== undefined && name !== undefined)
    return { kind: 'called', call: { id, tool: name, input: found.input }, ...who }
  if (type === 'tool_result' && call !== undefined) {
    const started = ran(found, from.permissionDecision?.decision, from.toolDenialKind)
    return { kind: 'ended', ended: { call, ok: found.is_error !== true, ran: started }, ...who }
  }
  // Written by the CLI: what a person typed was read as a prompt before it comes here.
  const own = from.type === 'user' && type === 'text' && !from.isSidechain
  return own && text?.startsWith('[Request interrupted by user') ? { kind: 'interrupted' } : undefined
}

const textOf = (blocks: readonly Block[] | string | undefined): string =>
  typeof blocks === 'string' ? blocks : (blocks ?? []).map((found) => found.text ?? '').join('')

const prompted = (from: Line): readonly TranscriptEvent[] => {
  const text = textOf(from.message?.content)
  const notified = from.origin?.kind === 'task-notification'
  const turn = from.promptId === undefined ? {} : { turn: from.promptId }
  return [
    {
      kind: 'prompted',
      ...withHeader(text),
      origin: notified ? 'notification' : promptOrigin(text),
      ...turn,
      ...(from.promptSource === 'queued' ? { waited: true } : {}),
    },
  ]
}

const fromSystem = (from: Line): TranscriptEvent => {
  if (from.subtype === 'compact_boundary') return { kind: 'compacted' }
  if (from.subtype !== 'api_error') return { kind: 'other', type: `system/${from.subtype ?? ''}` }
  const { error } = from
  const status = typeof error === 'object' && error !== null && 'status' in error ? error.status : undefined
  return {
    kind: 'retrying',
    attempt: from.retryAttempt ?? 0,
    of: from.maxRetries ?? 0,
    ...(typeof status === 'number' ? { status } : {}),
  }
}

const fromMessage = (from: Line): readonly TranscriptEvent[] => {
  const body = from.message?.content
  if (from.isApiErrorMessage) {
    const status = from.apiErrorStatus === undefined ? {} : { status: from.apiErrorStatus }
    return [
      {
        kind: 'failed',
        error: typeof from.error === 'string' ? from.error : '',
        ...status,
        text: textOf(body),
      },
    ]
  }
  // A subagent's first line is its order, not a prompt of anybody.
  if (from.type === 'user' && from.promptSource !== undefined && !from.isSidechain) return prompted(from)
  if (typeof body === 'string' || body === undefined) return []
  return body.flatMap((found) => fromBlock(from, found) ?? [])
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // Half a line at the end of a file that is being written, or none of ours.
    return undefined
  }
}

/** One line of the transcript. Never throws. */
export const readTranscript = (text: string): readonly TranscriptEvent[] => {
  const read = line.safeParse(parse(text))
  if (!read.success) return []
  const from = read.data
  if (from.type === 'queue-operation') return [fromQueue(from)]
  if (from.type === 'system') return [fromSystem(from)]
  if (from.type === 'cost-state' && from.totalCostUSD !== undefined)
    return [{ kind: 'total', total: totalOf(from.modelUsage, from.totalCostUSD) }]
  // A hook has ended the turn: nothing else tells of it.
  if (from.attachment?.type === 'hook_stopped_continuation' && !from.isSidechain)
    return [{ kind: 'interrupted' }]
  if (from.type === 'user' || from.type === 'assistant') return fromMessage(from)
  return [{ kind: 'other', type: from.type }]
}
