import { expect, test } from 'vitest'
import { isWithin } from './rules.ts'

test.each([
  ['/a', '/a', true],
  ['/a', '/a/b', true],
  ['/a', '/ab', false],
  ['/', '/a', true],
  ['/a/b', '/a', false],
])('within %s lies %s: %s', (outer, path, expected) => expect(isWithin(outer, path)).toBe(expected))
