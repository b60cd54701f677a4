import { createInterface } from 'node:readline'
import type { Call } from '../io.ts'

/** Only "y" is a yes. Ctrl-C ends the command as everywhere: the terminal is not taken over. */
export const confirmed = async ({ io, defer }: Call, question: string): Promise<boolean> => {
  const lines = createInterface({ input: io.stdin, terminal: false })
  defer(() => lines.close())
  io.stderr.write(`${question} [y/N] `)
  for await (const line of lines) return /^y(es)?$/i.test(line.trim())
  return false
}
