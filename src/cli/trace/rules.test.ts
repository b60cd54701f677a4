import { expect, test } from 'vitest'
import { descendants } from './rules.ts'

const listing = '    1     0\n   10     1\n   11    10\n   12    11\n   20     1\n   21    20\n'

test('everything below, and nothing beside', () => {
  expect(descendants(listing, [10])).toEqual([11, 12])
  expect(descendants(listing, [10, 20])).toEqual([11, 12, 21])
  expect(descendants(listing, [12])).toEqual([])
  expect(descendants('', [1])).toEqual([])
})

test('a listing that goes in circles ends', () => {
  expect(descendants('1 2\n2 1\n', [1])).toEqual([2])
})
