import { expect, test } from 'vitest'
import { tooMuch, tooOld } from './rules.ts'

const day = 86_400_000
const tasks = [
  { id: 'c', ended: 3 * day },
  { id: 'open' },
  { id: 'a', ended: 1 * day },
  { id: 'b', ended: 2 * day },
  { id: 'light', ended: 0 },
]

test.each<[number | undefined, number, string[]]>([
  [undefined, 1000 * day, []],
  [1, 3 * day, ['a', 'light']],
  [1, 3 * day + 1, ['a', 'b', 'light']],
  [10, 3 * day, []],
])('with %s days, at %s', (days, now, gone) => expect(tooOld(tasks, days, now)).toEqual(gone))

const sizes = new Map([
  ['a', 10],
  ['b', 20],
  ['c', 30],
  ['open', 40],
])

test.each<[number, string[]]>([
  [100, []],
  [99, ['a']],
  [90, ['a']],
  [89, ['a', 'b']],
  [70, ['a', 'b']],
  [1, ['a', 'b', 'c']],
])('within %s bytes', (limit, gone) => expect(tooMuch(() => tasks, sizes, limit)).toEqual(gone))
