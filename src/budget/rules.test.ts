import { expect, test } from 'vitest'
import { nothing, opened } from './account/rules.ts'
import { type Clock, couldReach, dueIn, forbidding, type Line, linesOf, worstOf } from './rules.ts'
import type { Account, Amounts } from './schema.ts'

const midnight = 1_000_000
const clock: Clock = { now: midnight + 10_000, today: '2026-01-02', midnight }
const some = (more: Partial<Amounts>): Amounts => ({ ...nothing, ...more })
const account = (more: Partial<Account>): Account => ({ ...opened('2026-01-02'), ...more })
const line = (more: Partial<Line>): Line => ({
  scope: 'agent/a',
  measure: 'turns',
  used: 0,
  of: 10,
  level: 'free',
  ...more,
})

test.each([
  [7, 'free'],
  [8, 'near'],
  [9, 'near'],
  [10, 'reached'],
  [11, 'reached'],
] as const)('%d of 10 turns: %s', (turns, level) => {
  expect(linesOf('agent/a', account({ limits: [{ turns: 10 }], used: some({ turns }) }), [], clock)).toEqual([
    line({ used: turns, level }),
  ])
})

test('every limit is a line: in all, today, of the account and of config.yaml', () => {
  const used = some({ turns: 30, tokens: 500, cost_usd: 1, runs: 4 })
  const today = some({ turns: 2, tokens: 100, cost_usd: 0.5, runs: 1 })
  const before = { used: some({ turns: 25, runs: 3 }), day: { date: '2026-01-02', used: some({ turns: 1 }) } }
  const known = account({
    limits: [
      { turns: 10, runs: 1 },
      { turns: 5, per: 'day' },
    ],
    used,
    day: { date: '2026-01-02', used: today },
    begun: before,
    raised: some({ turns: 3 }),
    raisedToday: { date: '2026-01-02', used: some({ turns: 1 }) },
  })
  const found = linesOf('agent/a', known, [{ turns: 100 }, { cost_usd: 2, tokens: 1000, per: 'day' }], clock)
  expect(found.map(({ measure, per, used, of, level }) => [measure, per ?? '', used, of, level])).toEqual([
    ['turns', '', 5, 13, 'free'],
    ['runs', '', 1, 1, 'reached'],
    ['turns', 'day', 1, 6, 'free'],
    ['turns', '', 30, 103, 'free'],
    ['tokens', 'day', 100, 1000, 'free'],
    ['cost_usd', 'day', 0.5, 2, 'free'],
  ])
  const tomorrow = { ...clock, today: '2026-01-03' }
  const [, , daily] = linesOf('agent/a', known, [], tomorrow)
  expect([daily?.used, daily?.of]).toEqual([0, 5])
  expect(linesOf('root', undefined, [{ tokens: 5 }], clock)).toEqual([
    { scope: 'root', measure: 'tokens', used: 0, of: 5, level: 'free' },
  ])
})

test('time that passes counts while a run goes on, and today only what passed today', () => {
  const source = {
    run: 'r',
    at: some({ wall_ms: 2_000 }),
    from: nothing,
    paid: nothing,
    since: midnight - 60_000,
  }
  const known = account({
    used: some({ wall_ms: 2_000 }),
    sources: { s: source, t: { ...source, since: midnight + 4_000 } },
  })
  const found = linesOf('root', known, [{ wall_time: '2m' }, { wall_time: '30s', per: 'day' }], clock)
  // 70 s and 6 s have passed; of both 2 s were counted.
  expect(found.map(({ used, level }) => [used, level])).toEqual([
    [2_000 + 68_000 + 4_000, 'free'],
    [10_000 + 4_000, 'free'],
  ])
})

test('people are told of the worst', () => {
  const near = line({ used: 9, level: 'near' })
  const reached = line({ measure: 'tokens', used: 12, level: 'reached' })
  expect(worstOf([line({}), near, reached])).toBe(reached)
  expect(worstOf([line({}), near])).toBe(near)
  expect(worstOf([line({})])).toBeUndefined()
})

test('so much more could reach a limit, or could not', () => {
  const lines = [line({ used: 8 }), line({ measure: 'tokens', used: 0, of: 100 })]
  expect(couldReach(lines, some({ turns: 1 }))).toBe(false)
  expect(couldReach(lines, some({ turns: 2 }))).toBe(true)
  expect(couldReach(lines, some({ tokens: 100 }))).toBe(true)
  expect(couldReach([line({ used: 10 })], nothing)).toBe(false)
})

test('when time alone brings a limit nearer', () => {
  const time = (used: number, level: Line['level']) => line({ measure: 'wall_ms', used, of: 1_000, level })
  expect(dueIn([time(300, 'free')], 1)).toBe(500)
  expect(dueIn([time(300, 'free')], 2)).toBe(250)
  expect(dueIn([time(900, 'near')], 1)).toBe(100)
  expect(dueIn([time(1_200, 'reached')], 1)).toBeUndefined()
  expect(dueIn([time(300, 'free')], 0)).toBeUndefined()
  expect(dueIn([line({})], 1)).toBeUndefined()
})

test('what forbids another run', () => {
  const runs = (used: number) => line({ measure: 'runs', used, of: 2 })
  expect(forbidding([runs(2), line({ used: 9 })])).toBeUndefined()
  expect(forbidding([runs(3)])).toEqual(runs(2))
  expect(forbidding([line({ used: 10 })])).toEqual(line({ used: 10 }))
})
