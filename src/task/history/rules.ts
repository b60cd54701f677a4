// What a task did, for people: a line for each thing that was said, called and ended.
import { oneLine } from '../../base/text/rules.ts'
import type { Call, StreamEvent } from '../../driver/schema.ts'

export const mostLines = 1_000
const longest = 200

/** What a call is about is mostly one of these; else all of it. */
const telling = ['command', 'file_path', 'path', 'pattern', 'url', 'query', 'description', 'prompt']

const inputOf = ({ input }: Call): string => {
  if (typeof input !== 'object' || input === null) return String(input ?? '')
  const fields = input as Readonly<Record<string, unknown>>
  const named = telling.map((name) => fields[name]).find((value) => typeof value === 'string')
  return typeof named === 'string' ? named : JSON.stringify(input)
}

const endOf = ({ ok, ran }: { readonly ok: boolean; readonly ran: boolean }): string => {
  if (ok) return 'done'
  return ran ? 'failed' : 'refused'
}

const wordsOf = (event: StreamEvent, toolOf: (call: string) => string): string | undefined => {
  switch (event.kind) {
    case 'started':
      return `started with ${event.model}`
    case 'said':
      return event.text.trim() === '' ? undefined : `said: ${event.text}`
    case 'called':
      return `called ${event.call.tool}: ${inputOf(event.call)}`
    case 'ended':
      return `${toolOf(event.ended.call)} ${endOf(event.ended)}`
    case 'retrying':
      return `tries the API again, ${event.attempt} of ${event.of}: ${event.error}`
    case 'failed':
      return `the API failed: ${event.text || event.error}`
    case 'prompt_blocked':
      return `the prompt was blocked: ${event.reason}`
    case 'interrupted':
    case 'compacted':
      return `was ${event.kind}`
    case 'result':
      return `${event.result.isError ? 'failed' : 'answered'} after ${event.result.turns} turns: ${event.result.text}`
    default:
      return undefined
  }
}

/** The end of it where it is long: what was left out is counted. */
export const lastOf = (lines: readonly string[], most = mostLines): readonly string[] =>
  lines.length <= most
    ? lines
    : [`… ${lines.length - most + 1} lines before`, ...lines.slice(lines.length - most + 1)]

export const logOf = (events: readonly StreamEvent[]): readonly string[] => {
  const tools = new Map<string, string>()
  const lines: string[] = []
  for (const event of events) {
    if (event.kind === 'called') tools.set(event.call.id, event.call.tool)
    const words = wordsOf(event, (call) => tools.get(call) ?? 'a call')
    // Of a subagent.
    const indent = 'parent' in event && event.parent !== undefined ? '  ' : ''
    if (words !== undefined) lines.push(`${indent}${oneLine(words, longest)}`)
  }
  return lastOf(lines)
}
