import { expect, test } from 'vitest'
import { screenOf } from '../../keeper/screen.ts'
import { inPieces, recent } from './recent.ts'

const size = { columns: 40, rows: 6 }

test('of very much only the end is drawn, with what was switched before it', async () => {
  const start = '\u001b[?1049h\u001b[?25l\u001b[?2004h\u001b[2;4r'
  const { bytes, filter } = recent(
    inPieces(Buffer.from(`${start}${'x'.repeat(3_000_000)}\u001b[2J\u001b[Hend`)),
    size,
  )
  expect(bytes.length).toBeLessThan(1_300_000)
  expect(filter.modes()).toMatchObject({ alternate: true, region: '2;4' })
  const screen = await screenOf(bytes, size)
  expect([screen.lines[0], screen.alternate]).toEqual(['end', true])
})

test('of little, everything', async () => {
  const { bytes } = recent([Buffer.from('one\r\n'), Buffer.from('two')], size)
  expect((await screenOf(bytes, size)).lines.slice(0, 2)).toEqual(['one', 'two'])
})

test('a sequence that is cut between two pieces is whole', async () => {
  const { bytes } = recent(
    [Buffer.from('a\u001b[3'), Buffer.from('1mb\u4f60').subarray(0, 5), Buffer.from('\u4f60').subarray(2)],
    size,
  )
  expect((await screenOf(bytes, size)).lines[0]).toMatch(/^ab/)
})
