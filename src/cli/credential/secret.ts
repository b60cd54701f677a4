// Reads a secret: from a pipe, or typed without being shown. Never from argv, where `ps` shows it.
import { failure } from '../../base/error/fail.ts'
import type { Call, Io } from '../io.ts'

const limit = 64 * 1024

const piped = async ({ stdin }: Io): Promise<string> => {
  let text = ''
  for await (const chunk of stdin) {
    text += String(chunk)
    if (text.length > limit) throw failure('validation_error', { what: 'The secret is longer than 64 KB.' })
  }
  return text
}

type Typed = { readonly text: string; readonly end: 'no' | 'yes' | 'interrupt' }

/** What the keys typed so far mean; a terminal in raw mode does nothing of this itself. */
export const typed = (text: string, keys: string): Typed => {
  let held = text
  for (const key of keys.replace(/\u001b\[20[01]~/g, '')) {
    if (key === '\u0003') return { text: '', end: 'interrupt' }
    if (key === '\r' || key === '\n' || key === '\u0004') return { text: held, end: 'yes' }
    if (key === '\u007f' || key === '\b') held = [...held].slice(0, -1).join('')
    else if (key === '\u0015') held = ''
    else if (held.length < limit) held += key
  }
  return { text: held, end: 'no' }
}

const asked = async ({ io, defer }: Call, question: string): Promise<string> => {
  const terminal = io.stdin as NodeJS.ReadStream
  // Before the question: whoever pastes at once must not see it echoed.
  terminal.setRawMode(true)
  // Also when the command is interrupted: a terminal left without echo looks broken.
  defer(() => {
    terminal.setRawMode(false)
    terminal.pause()
    io.stderr.write('\n')
  })
  io.stderr.write(question)
  let text = ''
  for await (const keys of terminal) {
    const now = typed(text, String(keys))
    if (now.end === 'interrupt') throw failure('interrupted', { signal: 'SIGINT' })
    text = now.text
    if (now.end === 'yes') break
  }
  return text
}

export const readSecret = async (call: Call, question: string): Promise<string> => {
  const text = call.io.stdin.isTTY ? await asked(call, question) : await piped(call.io)
  return text.replace(/\r?\n$/, '')
}
