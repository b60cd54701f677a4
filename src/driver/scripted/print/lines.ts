// `--input-format stream-json`: prompts and requests of a program, a line each, until stdin ends.
import { createInterface } from 'node:readline'
import type { Json } from '../hook/rules.ts'

export type Prompts = { next: () => Promise<string | undefined> }

const textOf = (message: unknown): string => {
  const content = (message as { content?: unknown } | undefined)?.content
  if (typeof content === 'string') return content
  return ((content ?? []) as { text?: string }[]).map(({ text }) => text ?? '').join('\n')
}

const parse = (line: string): Json | undefined => {
  try {
    return JSON.parse(line) as Json
  } catch {
    // The CLI skips what it cannot read.
    return undefined
  }
}

/** One prompt, known from the start. */
export const once = (prompt: string): Prompts => {
  const prompts = [prompt]
  return { next: async () => prompts.shift() }
}

export const readLines = (
  stream: NodeJS.ReadableStream,
  request: (id: string, asked: Json) => void,
): Prompts => {
  const prompts: string[] = []
  let ended = false
  let wake: () => void = () => undefined
  const lines = createInterface({ input: stream })
  lines.on('line', (line) => {
    const said = parse(line)
    if (said?.type === 'control_request') request(String(said.request_id), (said.request ?? {}) as Json)
    if (said?.type === 'user') prompts.push(textOf(said.message))
    wake()
  })
  lines.on('close', () => {
    ended = true
    wake()
  })
  return {
    next: async () => {
      while (prompts.length === 0 && !ended)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      return prompts.shift()
    },
  }
}
