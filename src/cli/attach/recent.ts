// The part of what was printed that the screen follows from, made harmless.
import type { Size } from '../../keeper/schema.ts'
import { type Filter, openFilter } from './filter/rules.ts'
import { replayed } from './modes/rules.ts'

/** Far more than a screen is made of; and what scrolls wildly keeps an emulator busy for seconds, not minutes. */
const enough = 1024 * 1024

export const recent = (pieces: readonly Buffer[], size: Size): { bytes: Buffer; filter: Filter } => {
  const filter = openFilter(undefined, size)
  const kept: Buffer[] = []
  let left = pieces.reduce((sum, { length }) => sum + length, 0)
  for (const piece of pieces) {
    // What was switched before is still switched.
    if (left > enough) kept.length = 0
    const { alternate, region } = filter.modes()
    const start = `${alternate ? '\u001b[?1049h' : ''}${replayed(filter.modes())}\u001b[${region}r\u001b[H`
    if (kept.length === 0) kept.push(Buffer.from(start, 'latin1'))
    kept.push(Buffer.from(filter.pass(piece.toString('latin1')), 'latin1'))
    left -= piece.length
  }
  return { bytes: Buffer.concat(kept), filter }
}

/** As a view would have brought it. */
export const inPieces = (bytes: Buffer, length = 64 * 1024): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / length) }, (_, at) =>
    bytes.subarray(at * length, (at + 1) * length),
  )
