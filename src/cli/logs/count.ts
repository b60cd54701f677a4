import { fail } from '../../base/error/fail.ts'
import type { Call } from '../io.ts'
import { countOf } from './rules.ts'

/** `--lines N`; everything where it is not given. */
export const lastLines = ({ values }: Call): ((lines: readonly string[]) => readonly string[]) => {
  const { lines: given } = values
  if (given === undefined) return (lines) => lines
  const count =
    countOf(given) ??
    fail('bad_value', {
      value: given,
      what: 'the option --lines',
      expected: 'a whole number of at least 1',
      hint: 'Type for example --lines 20.',
    })
  return (lines) => lines.slice(-count)
}
