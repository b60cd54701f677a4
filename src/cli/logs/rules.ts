// Lines of a terminal's output while they arrive. Nothing is drawn, so what moves the cursor is left out and
// what was overwritten in a line is gone; a full-screen program is better looked at with `peek` or `attach`.
import { printable } from '../../base/text/rules.ts'

/** Longer without an end it is cut: a line must not grow for ever. */
const longest = 64 * 1024

/** A progress that is written over itself ends as what it said last. */
const overwritten = (line: string): string => line.replace(/\r+$/, '').split('\r').at(-1) ?? ''

export const cutLines = (rest: string, text: string): { lines: readonly string[]; rest: string } => {
  const parts = (rest + text).split('\n')
  const last = parts.pop() ?? ''
  const whole = last.length > longest ? [...parts, last] : parts
  return {
    lines: whole.map((line) => printable(overwritten(line))),
    rest: last.length > longest ? '' : last,
  }
}

/** A number of lines as typed; undefined = it is none. */
export const countOf = (text: string): number | undefined =>
  /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined
