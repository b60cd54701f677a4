import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { distance, nearest, oneLine, printable } from './rules.ts'

test.each([
  ['plain text\n\twith a tab', 'plain text\n\twith a tab'],
  ['\u001b[31mred\u001b[0m', 'red'],
  ['\u009b31mred', 'red'],
  ['\u001b]0;title\u0007after', 'after'],
  ['\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\', 'link'],
  ['a\u001bcb', 'ab'],
  ['one\rtwo\r\nthree', 'one\ntwo\nthree'],
  ['bell\u0007 del\u007f nul\u0000 c1\u0085', 'bell del nul c1'],
  ['safe\u202egnp.exe', 'safegnp.exe'],
  ['\u2066a\u2069', 'a'],
  ['é 漢字 🤖', 'é 漢字 🤖'],
])('printable(%j) is %j', (text, expected) => {
  expect(printable(text)).toBe(expected)
})

test('nothing that is printed can command a terminal', () => {
  const nasty = fc.string({
    unit: fc.constantFrom('\u001b', '[', ']', ';', 'm', '\u009b', '\u0007', '\\', 'a', '\r', '\u202e'),
  })
  fc.assert(
    fc.property(fc.oneof(nasty, fc.string({ unit: 'binary' })), (text) => {
      expect(printable(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
      expect(oneLine(text)).not.toMatch(/[\n\u2028\u2029]/)
    }),
  )
})

test.each([
  ['  two\n lines\t here ', 100, 'two lines here'],
  ['a\u2028b', 100, 'a b'],
  ['abcdef', 4, 'abc…'],
  ['🤖🤖🤖', 2, '🤖…'],
])('oneLine(%j, %i) is %j', (text, limit, expected) => {
  expect(oneLine(text, limit)).toBe(expected)
})

test.each([
  ['', '', 0],
  ['', 'abc', 3],
  ['abc', '', 3],
  ['kitten', 'sitting', 3],
  ['premissions', 'permissions', 1],
  ['ab', 'ba', 1],
  ['abc', 'abc', 0],
])('distance(%j, %j) is %i', (from, to, expected) => {
  expect(distance(from, to)).toBe(expected)
  expect(distance(to, from)).toBe(expected)
})

test.each([
  ['premissions', ['permissions', 'name'], 'permissions'],
  ['Instructions', ['instructions'], 'instructions'],
  ['nmae', ['name', 'names'], 'name'],
  ['model', ['name', 'sandbox'], undefined],
  ['x', ['y'], 'y'],
  ['zzz', [], undefined],
  ['a'.repeat(10_000), ['a'], undefined],
])('nearest(%j) among %j is %j', (word, candidates, expected) => {
  expect(nearest(word, candidates)).toBe(expected)
})
