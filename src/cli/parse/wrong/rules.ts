// The words of what can be wrong with a command line.
import { nearest } from '../../../base/text/rules.ts'
import { nameOf } from '../../command/rules.ts'
import type { Argument, Option, Spec, Wrong } from '../../command/schema.ts'

export const isWrong = (found: object): found is Wrong => 'code' in found

export const helpHint = (words: readonly string[]): string => `Type \`${nameOf({ words })} --help\`.`

/** "Did you mean" in front of the usual hint, where something near is known. */
export const meant = (typed: string, known: readonly string[], otherwise: string): string => {
  const near = nearest(typed, known)
  if (near === undefined) return otherwise
  return `Did you mean ${near.startsWith('--') ? near : `"${near}"`}? ${otherwise}`
}

/** What is wrong with a value, wherever it stands. */
export const judgeValue = (
  spec: Spec,
  of: Argument | Option,
  what: string,
  value: string,
): Wrong | undefined => {
  const hint = helpHint(spec.words)
  if (value === '' && !('empty' in of)) return { code: 'empty_value', facts: { what, hint } }
  if (of.choices === undefined || of.choices.includes(value)) return undefined
  const facts = { what, expected: of.choices.join(', ') }
  if (spec.secret) return { code: 'bad_value', facts: { ...facts, value: hidden, hint } }
  return { code: 'bad_value', facts: { ...facts, value, hint: meant(value, of.choices, hint) } }
}

/** Stands for what may be a secret in the wrong place. */
export const hidden = '…'
