import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { attempt } from '../schema.ts'
import { interval, statsOf } from './rules.ts'

const recorded = z
  .array(attempt)
  .parse(
    JSON.parse(readFileSync(new URL('../../../test/samples/review-attempts.json', import.meta.url), 'utf8')),
  )

const round = (value: number | undefined): number | undefined =>
  value === undefined ? undefined : Math.round(value * 10_000) / 10_000

test('200 attempts: the table that was worked out by other means', () => {
  expect(recorded).toHaveLength(200)
  const rows = statsOf(recorded).map((row) => [
    row.template,
    row.tries,
    row.success,
    row.not_spawned,
    row.no_decision,
    row.bad_session_id,
    row.pending,
    row.withdrawn,
    ...[row.mean_blocks, row.rate, row.low, row.high].map(round),
  ])
  expect(rows).toEqual([
    ['gate', 17, 11, 4, 1, 0, 0, 1, 0, 0.6875, 0.444, 0.8584],
    ['process', 13, 9, 0, 3, 0, 0, 1, 0, 0.75, 0.4677, 0.9111],
    ['v1', 60, 41, 9, 4, 2, 1, 3, 1.7805, 0.7321, 0.6041, 0.8304],
    ['v2', 60, 52, 3, 3, 0, 0, 2, 1.6923, 0.8966, 0.7921, 0.9517],
    ['v3', 50, 18, 17, 5, 5, 2, 3, 1.6667, 0.4, 0.2702, 0.5455],
  ])
})

test('where nothing has ended there is no rate', () => {
  expect(statsOf([])).toEqual([])
  const [row] = statsOf([{ id: 'r', by: 'subagent', at: 0, blocks: 1, outcome: 'pending' }])
  expect(row).toEqual({
    template: 'unasked',
    tries: 1,
    success: 0,
    not_spawned: 0,
    no_decision: 0,
    bad_session_id: 0,
    pending: 1,
    withdrawn: 0,
  })
})

test('the interval holds its rate, stays within 0 and 1, and narrows with more tries', () => {
  fc.assert(
    fc.property(fc.nat(200), fc.nat(200), (good, bad) => {
      fc.pre(good + bad > 0)
      const all = good + bad
      const { low, high } = interval(good, all)
      expect(low).toBeGreaterThanOrEqual(0)
      expect(high).toBeLessThanOrEqual(1)
      expect(low).toBeLessThanOrEqual(good / all + 1e-12)
      expect(high).toBeGreaterThanOrEqual(good / all - 1e-12)
      const more = interval(good * 4, all * 4)
      expect(more.high - more.low).toBeLessThan(high - low)
    }),
    { seed: 7 },
  )
})
