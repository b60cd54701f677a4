import { expect, test } from 'vitest'
import { diffOf } from './rules.ts'

test.each([
  ['a\nb\nc\nd\ne\nf\n', 'a\nb\nc\nx\nd\ne\nf\n', ['  b', '  c', '+ x', '  d', '  e']],
  ['a\nb\n', 'a\nc\n', ['  a', '- b', '+ c', '  ']],
  ['', 'a\n', ['+ a', '  ']],
  ['a\na\n', 'a\na\na\n', ['  a', '  a', '+ a', '  ']],
  ['a', 'a', ['  a']],
])('%j to %j', (before, after, lines) => {
  expect(diffOf(before, after)).toEqual(lines)
})
