import { expect, test } from 'vitest'
import { choose } from './rules.ts'

const known = [
  { session: 'abcd-1', agent: 'coder', at: 1 },
  { session: 'abcd-2', agent: 'coder', at: 3 },
  { session: 'abcd', at: 0 },
  { session: 'efgh-1', agent: 'abcd-', at: 2 },
  { session: 'coder-x', at: 9 },
]
const [first, second, whole, named] = known

test.each([
  ['abcd-1', { one: first }],
  ['abcd', { one: whole }],
  ['coder', { one: second }],
  ['abcd-', { one: named }],
  ['efgh', { one: named }],
  ['efg', undefined],
  ['', undefined],
  ['nobody', undefined],
  ['efgh-12', undefined],
])('%j', (which, chosen) => {
  expect(choose(known, which)).toEqual(chosen)
})

test('what several begin with is none of them', () => {
  expect(choose(known.slice(0, 2), 'abcd')).toEqual({ many: [first, second] })
})
