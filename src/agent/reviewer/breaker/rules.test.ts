import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Breaker } from '../schema.ts'
import { begin, closed, ended, limits } from './rules.ts'

const fails = (from: Breaker, times: number, at: number): Breaker =>
  Array.from({ length: times }).reduce<Breaker>(
    (breaker) => ended(begin(breaker, at).breaker, false, at),
    from,
  )
const why = `the reviewer failed ${limits.failures} times in a row`

test('so many failures in a row open it for a while; then one is tried, and one failure opens it again', () => {
  expect(begin(fails(closed, limits.failures - 1, 0), 0).refused).toBe(undefined)
  const open = fails(closed, limits.failures, 0)
  expect(begin(open, 0)).toEqual({ breaker: open, refused: why })
  expect(begin(open, limits.pause - 1).refused).toBe(why)
  const tried = begin(open, limits.pause)
  expect(tried.refused).toBe(undefined)
  expect(begin(ended(tried.breaker, false, limits.pause), limits.pause + 1).refused).toBe(why)
  const well = ended(tried.breaker, true, limits.pause)
  expect(begin(fails(well, limits.failures - 1, limits.pause), limits.pause).refused).toBe(undefined)
})

test('a success between them begins the count anew', () => {
  const almost = ended(fails(closed, limits.failures - 1, 0), true, 0)
  expect(begin(fails(almost, limits.failures - 1, 0), 0).refused).toBe(undefined)
})

test('too many within a while are too many, also when all went well', () => {
  let breaker = closed
  for (let count = 0; count < limits.reviews; count++) {
    const begun = begin(breaker, count)
    expect(begun.refused).toBe(undefined)
    breaker = ended(begun.breaker, true, count)
  }
  const at = limits.reviews
  const { breaker: open, refused } = begin(breaker, at)
  expect(refused).toMatch(/was asked 60 times within 5 minutes/)
  expect(begin(open, at + limits.pause - 1).refused).toBe(refused)
  expect(begin(open, at + limits.pause).refused).toBe(undefined)
})

test('a clock that was set back does not keep it open', () => {
  const open = fails(closed, limits.failures, 10 * limits.pause)
  expect(begin(open, 0).refused).toBe(undefined)
})

type Step = { readonly ok: boolean; readonly wait: number }
const steps = fc.array(fc.record({ ok: fc.boolean(), wait: fc.integer({ min: 0, max: 2 * limits.pause }) }), {
  maxLength: 200,
})

test('whatever happens: open only after failures or too many, never longer than the pause, and bounded', () => {
  fc.assert(
    fc.property(steps, (list: Step[]) => {
      let [breaker, now, row] = [closed, 0, 0]
      let refusedSince: number | undefined
      for (const { ok, wait } of list) {
        now += wait
        const begun = begin(breaker, now)
        breaker = begun.breaker
        if (begun.refused !== undefined) {
          refusedSince ??= now
          expect(now - refusedSince).toBeLessThan(limits.pause)
          expect(row >= limits.failures || /was asked/.test(begun.refused)).toBe(true)
          continue
        }
        refusedSince = undefined
        breaker = ended(breaker, ok, now)
        row = ok ? 0 : row + 1
        expect(breaker.began.length).toBeLessThanOrEqual(limits.reviews)
      }
    }),
  )
})
