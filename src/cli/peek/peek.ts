// `agency peek`: the screen of an agent, as text.
import { fail } from '../../base/error/fail.ts'
import { screenOf } from '../../keeper/screen.ts'
import { endingOf, findAgent } from '../attach/find.ts'
import { inPieces, recent } from '../attach/recent.ts'
import type { Handler } from '../io.ts'
import { lastLines } from '../logs/count.ts'
import { printedBy, usualSize } from '../logs/source.ts'
import { lastCard } from '../said/last.ts'

export const run: Handler = async (call) => {
  const last = lastLines(call)
  const place = await findAgent(call, call.values.name ?? '')
  const { agent } = place
  const printed = await printedBy(place)
  const { stream, bytes, size = usualSize } = printed
  if (stream !== 'terminal')
    return fail('not_found', {
      what: `terminal of the agent "${agent}": it works without one`,
      see: `Type \`agency logs ${agent}\` to read what it printed.`,
    })
  const { lines: rows, cursor, alternate } = await screenOf(recent(inPieces(bytes), size).bytes, size)
  const lines = last(rows.slice(0, rows.findLastIndex((row) => row !== '') + 1))
  if (place.keeper === undefined)
    call.warn(`"${agent}" ${await endingOf(place)}: this is what it showed last.`)
  const card = await lastCard(place, printed)
  const data = { agent, running: place.keeper !== undefined, size, lines, cursor, alternate, ...card.data }
  return { data, lines: [...lines, ...card.lines] }
}
