import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chosen, drawn, fallback, filled, readable } from './rules.ts'

test.each([
  [{ v1: 1, v2: 3 }, 0, 'v1'],
  [{ v1: 1, v2: 3 }, 0.2499, 'v1'],
  [{ v1: 1, v2: 3 }, 0.25, 'v2'],
  [{ v1: 1, v2: 3 }, 0.9999, 'v2'],
  [{ v1: 0, v2: 1 }, 0, 'v2'],
  [{ v1: 0 }, 0.5, undefined],
  [{}, 0.5, undefined],
])('of %j, %d draws %s', (weights, chance, id) => {
  expect(drawn(weights, chance)).toBe(id)
})

test('what is drawn has a weight, and each is drawn as often as it weighs', () => {
  const weights = { a: 1, b: 2, c: 7, d: 0 }
  const times = { a: 0, b: 0, c: 0, d: 0 }
  for (let at = 0; at < 1000; at += 1) times[drawn(weights, at / 1000) as keyof typeof times] += 1
  expect(times).toEqual({ a: 100, b: 200, c: 700, d: 0 })
})

test.each([
  [{ active: 'v9', weights: { v1: 1 } }, ['v1'], 'v9'],
  [{ active: 'random', weights: { v2: 1 } }, ['v1'], 'v2'],
  [{ active: 'random', weights: {} }, ['v1', 'v2'], 'v2'],
  [{ active: 'random', weights: {} }, [], undefined],
])('%j of %j: %s', (setting, known, id) => {
  expect(chosen(setting, known, 0.5)).toBe(id)
})

test('the session is inserted literally, each time', () => {
  const text = 'a {{session_id}} b {{session_id}}'
  fc.assert(
    fc.property(fc.string(), (session) => {
      fc.pre(!session.includes('{{session_id}}'))
      expect(filled({ id: 'x', text }, session)).toBe(`a ${session} b ${session}`)
    }),
    { seed: 7, examples: [['$&'], ['$1'], ["$'"]] },
  )
  expect(filled(fallback, 's1')).toContain('SESSION_ID=s1,')
})

test.each([
  ['Review first.', 'Review first.'],
  [' \n', undefined],
  ['x'.repeat(20_001), undefined],
  ['bytes \ufffd that are no text', undefined],
  ['a\0b', undefined],
])('readable: %#', (text, found) => {
  expect(readable(text)).toBe(found)
})
