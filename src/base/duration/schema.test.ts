import { expect, test } from 'vitest'
import { check } from '../problem/rules.ts'
import { duration, interval, milliseconds } from './schema.ts'

test.each([
  ['30s', 30_000],
  ['10m', 600_000],
  ['1h30m', 5_400_000],
  ['250ms', 250],
  ['1h2m3s4ms', 3_723_004],
  ['0s', 0],
  ['', Number.NaN],
  ['10', Number.NaN],
  ['m', Number.NaN],
  ['5m1h', Number.NaN],
  ['-5m', Number.NaN],
  ['1.5h', Number.NaN],
  ['5 m', Number.NaN],
])('%j is %d ms', (text, expected) => {
  expect(milliseconds(text)).toBe(expected)
})

test.each([
  [duration, '1ms', undefined],
  [duration, '576h', undefined],
  [duration, '577h', 'must be at most 24 days (576h)'],
  [duration, '999999h', 'must be at most 24 days (576h)'],
  [duration, '0s', 'must be more than 0'],
  [duration, '0h0m', 'must be more than 0'],
  [duration, 'x', 'must be a time with its unit, such as 30s, 10m or 1h30m'],
  [duration, 5, 'must be a time with its unit, such as 30s, 10m or 1h30m'],
  [interval, '1s', undefined],
  [interval, '999ms', 'must be at least 1s'],
])('%# %j: %s', (schema, input, problem) => {
  const checked = check(schema, input)
  expect('issues' in checked ? checked.issues[0]?.message : undefined).toBe(problem)
})
