import { expect, test } from 'vitest'
import { remembered } from './rules.ts'

test('what was made is not made again, until too many were', () => {
  const made: string[] = []
  const upper = remembered((text) => {
    made.push(text)
    return text.toUpperCase()
  })
  expect([upper('a'), upper('b'), upper('a')]).toEqual(['A', 'B', 'A'])
  expect(made).toEqual(['a', 'b'])
  for (let at = 0; at < 999; at++) upper(`${at}`)
  expect(made.length).toBe(1_001)
  expect([upper('b'), upper('a')]).toEqual(['B', 'A'])
  expect(made.slice(1_001)).toEqual(['a'])
  upper('x'.repeat(5_000))
  upper('x'.repeat(5_000))
  expect(made.length).toBe(1_004)
})
