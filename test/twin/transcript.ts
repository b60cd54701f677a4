// The transcript of a session, as either program writes it.
import { basename } from 'node:path'
import { files, jsonLines } from './place.ts'
import type { Rig } from './rig.ts'
import { until } from './until.ts'

export type Entry = {
  type: string
  operation?: string
  content?: unknown
  reason?: string
  message?: { role: string; content: string | { type: string; [key: string]: unknown }[] }
  [key: string]: unknown
}

export const transcriptPath = async (rig: Rig, session: string): Promise<string | undefined> =>
  (await files(`${rig.config}/projects`)).find((file) => basename(file) === `${session}.jsonl`)

export const transcript = async (rig: Rig, session: string): Promise<Entry[]> => {
  const path = await transcriptPath(rig, session)
  return path ? jsonLines<Entry>(path) : []
}

/** Waits for an entry: the CLI writes its transcript a moment after the fact. */
export const untilEntry = (rig: Rig, session: string, what: string, fits: (entry: Entry) => boolean) =>
  until(`transcript: ${what}`, async () => (await transcript(rig, session)).find(fits))

export type ToolResult = { tool_use_id: string; is_error: boolean; text: string }

const words = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : Array.isArray(content)
      ? content.map((part: { text?: string }) => part.text ?? '').join('\n')
      : ''

/** What the model was told about each call, in order. */
export const toolResults = (entries: Entry[]): ToolResult[] =>
  entries.flatMap(({ type, message }) => {
    if (type !== 'user' || !message || typeof message.content === 'string') return []
    return message.content
      .filter((block) => block.type === 'tool_result')
      .map((block) => ({
        tool_use_id: String(block.tool_use_id),
        is_error: block.is_error === true,
        text: words(block.content),
      }))
  })

/** The results once there are `count` of them. */
export const untilResults = (rig: Rig, session: string, count = 1): Promise<ToolResult[]> =>
  until(`${count} tool results in the transcript`, async () => {
    const found = toolResults(await transcript(rig, session))
    return found.length >= count && found
  })
