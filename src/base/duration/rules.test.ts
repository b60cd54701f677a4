import { expect, test } from 'vitest'
import { milliseconds } from './rules.ts'

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
