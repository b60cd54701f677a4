import { expect, test } from 'vitest'
import { holds, interleaved, median, percentile, table } from './frame.ts'

test('medians and percentiles are values that were measured', () => {
  expect(median([3, 1, 2])).toBe(2)
  expect(percentile([1, 2, 3, 4], 99)).toBe(4)
  expect(percentile([1, 2, 3, 4], 0)).toBe(1)
})

test('contestants take turns and the first round is thrown away', async () => {
  const order: string[] = []
  const run = (name: string) => () => order.push(name)
  const times = await interleaved(2, { a: run('a'), b: run('b') })
  expect(order).toEqual(['a', 'b', 'a', 'b', 'a', 'b'])
  expect(times).toEqual({ a: [3, 5], b: [4, 6] })
})

const row = { name: 'x', value: 30, floor: 10, unit: 'ms', floorName: 'node -e 0' }

test.each([
  [{ ...row }, true],
  [{ ...row, limit: 3 }, true],
  [{ ...row, limit: 2.9 }, false],
  [{ ...row, limit: 3, more: 'better' as const }, true],
  [{ ...row, limit: 3.1, more: 'better' as const }, false],
])('a row is judged against its promise: %j', (given, expected) => expect(holds(given)).toBe(expected))

test('a broken promise is named in the table', () => {
  expect(table([{ ...row, limit: 2 }])).toContain('3.00x  <= 2.00x  OVER')
})

test('what could not be measured says why, and breaks no promise', () => {
  const absent = { ...row, value: Number.NaN, floor: Number.NaN, absent: 'not installed' }
  expect(table([absent])).toMatch(/^x +not installed$/m)
  expect(holds(absent)).toBe(true)
})
