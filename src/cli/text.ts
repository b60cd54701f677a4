// What somebody has to say: in a file, or from standard input.
import { createReadStream } from 'node:fs'
import { fail } from '../base/error/fail.ts'
import type { Call } from './io.ts'
import { typedPath } from './root/where.ts'

const longest = 1024 * 1024

/** No more of it is read than could be sent: it may never end. */
const gather = async (source: AsyncIterable<unknown>, what: string): Promise<string> => {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of source) {
    const bytes = Buffer.from(piece as Buffer)
    size += bytes.length
    if (size > longest) fail('validation_error', { what: `${what} is longer than ${longest} bytes.` })
    pieces.push(bytes)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces))
  } catch {
    // The only thing a fatal decoder throws.
    return fail('validation_error', { what: `${what} is not valid UTF-8 text.` })
  }
}

/** `-` is standard input. A pipe is a file here too: `--file <(…)`. */
export const readText = async (call: Call, file: string): Promise<string> => {
  if (file === '-') return gather(call.io.stdin, 'Standard input')
  const path = typedPath(call.io, file)
  return gather(createReadStream(path), path).catch((error: NodeJS.ErrnoException) => {
    if (error.syscall === undefined) throw error
    return fail('validation_error', { what: `${path} cannot be read: ${error.code ?? error.message}.` })
  })
}
