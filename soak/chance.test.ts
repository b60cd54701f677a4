import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chance } from './chance.ts'

const draw = (seed: number): number[] => {
  const { below } = chance(seed)
  return Array.from({ length: 50 }, () => below(1000))
}

test('a seed always gives the same numbers, another seed others', () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      expect(draw(seed)).toEqual(draw(seed))
    }),
  )
  expect(draw(1)).not.toEqual(draw(2))
})

test('numbers stay within their limits and reach all of them', () => {
  const { between } = chance(7)
  const seen = new Set(Array.from({ length: 200 }, () => between(3, 6)))
  expect([...seen].sort()).toEqual([3, 4, 5, 6])
})
