// What somebody has to say: typed, in a file, or from standard input.
import { readFile } from 'node:fs/promises'
import { fail } from '../base/error/fail.ts'
import type { Call } from './io.ts'
import { typedPath } from './root/where.ts'

const longest = 1024 * 1024

const readInput = async ({ io }: Call): Promise<string> => {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of io.stdin) {
    const bytes = Buffer.from(piece as Buffer)
    size += bytes.length
    if (size > longest) fail('validation_error', { what: `The text is longer than ${longest} bytes.` })
    pieces.push(bytes)
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** `-` is standard input. */
export const readText = async (call: Call, file: string): Promise<string> => {
  if (file === '-') return readInput(call)
  const path = typedPath(call.io, file)
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) =>
    fail('validation_error', { what: `${path} cannot be read: ${error.code ?? error.message}.` }),
  )
}
