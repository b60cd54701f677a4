import { expect, test } from 'vitest'
import type { Io } from './io.ts'
import { liveLine } from './live.ts'

const play = (stderr: Partial<Io['stderr']>, env: Io['env'] = {}, json = false): string => {
  let text = ''
  const write = (more: string): unknown => (text += more)
  const io = { stderr: { ...stderr, write }, env } as unknown as Io
  const live = liveLine({ io, json, progress: (line) => write(`${line}\n`) })
  live.show('one')
  live.show('one')
  live.print('stays')
  live.show('a\u001b[31m\nlong line \u4f60 that does not fit')
  live.clear()
  live.clear()
  return text
}

test('on a terminal it is drawn in place, cut to its width, and gone at the end', () => {
  expect(play({ isTTY: true, columns: 15 })).toBe(
    '\r\u001b[Kone\r\u001b[Kstays\n\r\u001b[Kone\r\u001b[Ka long line ? \r\u001b[K',
  )
})

test.each([
  ['a file', play({})],
  ['a terminal that cannot', play({ isTTY: true }, { TERM: 'dumb' })],
  ['JSON', play({ isTTY: true }, {}, true)],
])('into %s only what stays is said', (_, text) => expect(text).toBe('stays\n'))
