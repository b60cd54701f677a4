// What a command gives back → the bytes on stdout and stderr. The only place that knows both forms.
import { oneLine, printable } from '../../base/text/rules.ts'
import type { Outcome } from '../command/schema.ts'

export type Look = { readonly json: boolean; readonly colour: boolean }
export type Printed = { readonly stdout: string; readonly stderr: string }

/** The words of a failure, as the catalogue has them. */
export type Said = {
  readonly error: string
  readonly message: string
  readonly safe: string
  readonly next: string
  readonly problems: readonly string[]
}

/** Columns as wide as their widest cell; the last one is left ragged. */
export const table = (rows: readonly (readonly string[])[]): string[] => {
  const cells = rows.map((row) => row.map((cell) => oneLine(cell)))
  const widths = cells.reduce<number[]>(
    (wide, row) => row.map((cell, at) => Math.max(cell.length, wide[at] ?? 0)),
    [],
  )
  return cells.map((row) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  )
}

// JSON escapes the lower control characters itself; these act on a terminal just as well.
const upper = /[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

export const json = (value: unknown, indent = 2): string =>
  `${JSON.stringify(value, null, indent).replace(
    upper,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )}\n`

const label = (word: string, code: number, { colour }: Look): string =>
  colour ? `\u001b[${code}m${word}\u001b[0m` : word

const lines = (texts: readonly string[]): string => texts.map((text) => `${text}\n`).join('')

export const printOutcome = ({ data, lines: said, warnings = [] }: Outcome, look: Look): Printed =>
  look.json
    ? { stdout: json(warnings.length === 0 ? data : { ...data, warnings }), stderr: '' }
    : {
        stdout: lines(said.map(printable)),
        stderr: lines(warnings.map((text) => `${label('warning:', 33, look)} ${printable(text)}`)),
      }

export const printFailure = (said: Said, look: Look): Printed =>
  look.json
    ? { stdout: json(said), stderr: '' }
    : {
        stdout: '',
        stderr: lines([
          `${label('error:', 31, look)} ${printable(said.message)}`,
          ...said.problems.map((problem) => `  ${printable(problem)}`),
          `  ${printable(said.safe)}`,
          `  ${printable(said.next)}`,
        ]),
      }
