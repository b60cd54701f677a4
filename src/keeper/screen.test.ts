import { expect, test } from 'vitest'
import { screenOf } from './screen.ts'

const size = { columns: 10, rows: 3 }

test.each([
  ['one\r\ntwo', { lines: ['one', 'two', ''], cursor: { column: 3, row: 1 }, alternate: false }],
  [
    '1\r\n2\r\n3\r\n4\u001b[31m red',
    { lines: ['2', '3', '4 red'], cursor: { column: 5, row: 2 }, alternate: false },
  ],
  [
    'below\u001b[?1049h\u001b[2;3Hed',
    { lines: ['', '  ed', ''], cursor: { column: 4, row: 1 }, alternate: true },
  ],
  ['äöü\u4f60', { lines: ['äöü\u4f60', '', ''], cursor: { column: 5, row: 0 }, alternate: false }],
])('%j shows', async (text, screen) => expect(await screenOf(Buffer.from(text), size)).toEqual(screen))

test.each(['b', 'S', 'T', 'L', 'M', '@', 'P', 'X', 'I', 'Z'])(
  'CSI 1000000000 %s a thousand times holds up nobody',
  async (final) => {
    const hostile = `x\u001b[1000000000${final}`.repeat(1_000)
    const { lines } = await screenOf(Buffer.from(`${hostile}\u001b[2J\u001b[Hafter`), size)
    expect(lines).toEqual(['after', '', ''])
  },
)
