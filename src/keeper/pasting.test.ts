import { expect, test } from 'vitest'
import { hearPasting, notPasting } from './pasting.ts'

const on = '\x1b[?2004h'
const off = '\x1b[?2004l'

test.each<[string, readonly string[], boolean]>([
  ['nothing', ['hello'], false],
  ['asked for', [`a${on}b`], true],
  ['taken back', [on, `text${off}`], false],
  ['with other modes', ['\x1b[?1004;2004h'], true],
  ['another mode', ['\x1b[?12004h\x1b[?25h'], false],
  ['cut in two', ['a\x1b', '[?2004h'], true],
  ['cut in many', [...`x${on}`], true],
  ['the last word counts', [`${on}${off}${on}`], true],
  ['a sequence that never ends', [`\x1b[?${'9'.repeat(100)}`, on], true],
])('%s', (_, pieces, expected) => {
  const heard = pieces.reduce((before, piece) => hearPasting(before, Buffer.from(piece)), notPasting)
  expect(heard.on).toBe(expected)
})
