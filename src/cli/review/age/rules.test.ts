import { expect, test } from 'vitest'
import { ageOf, countOf } from './rules.ts'

test.each([
  ['7d', 604_800_000],
  ['0d', 0],
  ['1h30m', 5_400_000],
  ['250ms', 250],
  ['7', undefined],
  ['', undefined],
  ['-7d', undefined],
  ['7d12h', undefined],
  ['1.5d', undefined],
  ['999999d', undefined],
])('%j is %j ms', (text, ms) => {
  expect(ageOf(text)).toBe(ms)
})

test.each([
  ['20', 0, 20],
  ['0', 0, 0],
  ['0', 1, undefined],
  ['-1', 0, undefined],
  ['1e3', 0, undefined],
  ['999999', 0, undefined],
])('%j from %j up is %j', (text, least, count) => {
  expect(countOf(text, least)).toBe(count)
})
