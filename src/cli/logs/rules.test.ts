import { expect, test } from 'vitest'
import { countOf, cutLines } from './rules.ts'

test.each([
  ['', 'a\r\nb\r\nc', ['a', 'b'], 'c'],
  ['half', ' whole\n', ['half whole'], ''],
  ['', '10%\r50%\r100%\r\n', ['100%'], ''],
  ['', '\u001b[31mred\u001b[0m\u001b]52;c;eA==\u0007\n', ['red'], ''],
  // Cut in the middle of a sequence.
  ['\u001b]52;c', ';eA==\u0007x\n', ['x'], ''],
])('%j then %j', (rest, text, lines, left) => expect(cutLines(rest, text)).toEqual({ lines, rest: left }))

test('a line without end is cut', () => {
  expect(cutLines('x'.repeat(65_000), 'y'.repeat(1_000)).rest).toBe('')
})

test.each([
  ['1', 1],
  ['20', 20],
  ['0', undefined],
  ['-1', undefined],
  ['1e3', undefined],
  ['9999999999', undefined],
])('%j lines', (text, count) => expect(countOf(text)).toBe(count))
