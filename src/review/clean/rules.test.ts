import { expect, test } from 'vitest'
import { fresh } from '../record/rules.ts'
import type { Review } from '../schema.ts'
import { keptFor } from './rules.ts'

const day = 86_400_000
const review = (state: Review['state'], changed: number): Review => ({ ...fresh('s', 0), changed, state })

test.each([
  ['idle', 0, 7 * day, undefined],
  ['approved', 0, 7 * day, undefined],
  ['escalated', 0, 7 * day, undefined],
  ['pending', 0, 7 * day, 'open'],
  ['blocked', 0, 7 * day, 'open'],
  ['pending', 0, 0, 'open'],
  ['approved', 3 * day + 1, 7 * day, 'young'],
  ['approved', 3 * day, 7 * day, undefined],
  ['approved', 10 * day, 0, undefined],
  // A clock that went back makes nothing old.
  ['approved', 11 * day, 1, 'young'],
  ['approved', 11 * day, 0, undefined],
] as const)('%s, changed at %d, older than %d: %s', (state, changed, older, kept) => {
  expect(keptFor(review(state, changed), { now: 10 * day, older })).toBe(kept)
})
