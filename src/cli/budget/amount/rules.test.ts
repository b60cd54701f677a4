import { expect, test } from 'vitest'
import { type OptionName, readMore } from './rules.ts'

test.each<[OptionName, string, number]>([
  ['turns', '+10', 10],
  ['tokens', '+100000', 100_000],
  ['cost', '+2.50', 2.5],
  ['wall-time', '+1h30m', 5_400_000],
  ['runs', '+1', 1],
])('--%s %s', (name, text, value) => {
  expect(readMore(name, text)).toEqual({ value })
})

test.each<[OptionName, string]>([
  ['turns', '10'],
  ['turns', '+0'],
  ['turns', '+1.5'],
  ['turns', '+'],
  ['turns', '-3'],
  ['cost', '+$2'],
  ['wall-time', '+30'],
  ['wall-time', '+0s'],
])('--%s %s is no raise', (name, text) => {
  expect(readMore(name, text)).toEqual({
    problem: expect.stringContaining(`--${name} is "${text}"; it must be +`),
  })
})
