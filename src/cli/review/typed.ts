import { fail } from '../../base/error/fail.ts'
import type { Call } from '../io.ts'

/** The value of an option, understood; or what was expected instead. */
export const typed = <T>(
  { values }: Call,
  option: string,
  fallback: string,
  expected: string,
  read: (text: string) => T | undefined,
): T => {
  const text = values[option] ?? fallback
  const value = read(text)
  if (value !== undefined) return value
  const hint = `Type for example --${option} ${fallback}.`
  return fail('bad_value', { value: text, what: `the option --${option}`, expected, hint })
}
