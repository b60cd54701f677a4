import { fail } from '../../base/error/fail.ts'
import type { Call } from '../io.ts'
import { readText } from '../text.ts'
import { isWrong, type Wrong } from './request/rules.ts'

/** Typed, in a file, or `-` for standard input. */
export const promptOf = async (call: Call): Promise<string> => {
  const { prompt, file } = call.values
  const text = prompt !== undefined && prompt !== '-' ? prompt : await readText(call, file ?? '-')
  // No host is started for nothing.
  if (!/\S/.test(text)) fail('validation_error', { what: 'The prompt is empty.' })
  return text
}

export const checked = <T>(found: T | Wrong, command: string): T =>
  isWrong(found) ? fail('bad_value', { ...found, hint: `Type \`${command} --help\`.` }) : found
