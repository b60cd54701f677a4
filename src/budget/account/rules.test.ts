import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Account, Amounts } from '../schema.ts'
import { account as schema } from '../schema.ts'
import { budgetFact, nothing, opened, plus, reduceAccount, sincePaid, sinceStart, withTime } from './rules.ts'

const day = '2026-01-01'
const some = (more: Partial<Amounts>): Amounts => ({ ...nothing, ...more })
type Told = Parameters<typeof budgetFact>
const told = (...facts: readonly [Told[0], Told[2]][]): Account | undefined =>
  facts.reduce<Account | undefined>(
    (was, [type, data]) => reduceAccount(was, budgetFact(type, 'agent/a', data as never)),
    undefined,
  )
const reserved = (run: string, more: object = {}): [Told[0], Told[2]] => [
  'budget.reserved',
  { run, source: 's', day, at: 0, ...more } as Told[2],
]
const counted = (at: Partial<Amounts>, more: object = {}): [Told[0], Told[2]] => [
  'budget.counted',
  { source: 's', day, at: some(at), ...more } as Told[2],
]

test('a run is reserved once under its name, and is none when it is given back', () => {
  const once = told(reserved('r1'))
  expect(once?.used.runs).toBe(1)
  expect(told(reserved('r1'), reserved('r1'))).toEqual(once)
  expect(told(reserved('r1'), reserved('r2'))?.used.runs).toBe(2)
  const back = told(reserved('r1'), ['budget.released', { run: 'r1', source: 's', day }])
  expect([back?.used, back?.day.used, back?.sources.s?.since]).toEqual([nothing, nothing, undefined])
  const other = told(reserved('r1'), ['budget.released', { run: 'r0', source: 's', day }])
  expect(other).toEqual(once)
})

test('a process that is replaced goes on with its run, and time is counted from then', () => {
  const both = told(
    reserved('r1'),
    counted({ wall_ms: 5 }, { over: true }),
    reserved('r2', { again: true, at: 100 }),
  )
  expect([both?.used, both?.sources.s]).toMatchObject([
    { runs: 1, wall_ms: 5 },
    { run: 'r2', since: 100 },
  ])
  expect(both && withTime(both.sources.s, both.sources.s?.at ?? nothing, 107).wall_ms).toBe(12)
})

test('what is used on another day is that day’s, and in all it stays', () => {
  const both = told(reserved('r'), counted({ turns: 2 }), counted({ turns: 5 }, { day: '2026-01-02' }))
  expect(both?.used.turns).toBe(5)
  expect(both?.day).toEqual({ date: '2026-01-02', used: some({ turns: 3 }) })
  const late = told(counted({ turns: 1 }, { day: '2026-01-02' }), counted({ turns: 4 }))
  expect([late?.used.turns, late?.day]).toEqual([4, { date: '2026-01-02', used: some({ turns: 1 }) }])
})

test('where a source is, told in whatever order, is how far it came', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50), { minLength: 1 }), (places) => {
      const account = told(...places.map((turns) => counted({ turns })))
      expect(account?.used.turns).toBe(Math.max(...places))
      expect(account?.day.used.turns).toBe(Math.max(...places))
    }),
    { seed: 3 },
  )
})

test('a new agent of the name begins with nothing of its own, and with no raise', () => {
  const before = told(reserved('r1'), counted({ turns: 7 }), [
    'budget.raised',
    { more: { turns: 3 }, day, by: 'ann' },
  ])
  expect(before?.raised.turns).toBe(3)
  const after = reduceAccount(
    before,
    budgetFact('budget.reserved', 'agent/a', {
      run: 'r2',
      source: 't',
      day,
      at: 0,
      limits: [{ turns: 9 }],
      fresh: true,
    }),
  )
  expect(after).toMatchObject({
    limits: [{ turns: 9 }],
    used: { turns: 7, runs: 2 },
    raised: nothing,
    begun: { used: { turns: 7, runs: 1 } },
  })
  expect(after?.raisedToday).toBeUndefined()
  expect(schema.parse(after)).toEqual(after)
})

test('time is what passed since the run began, until it is over', () => {
  const running = told(reserved('r', { at: 1_000 }))?.sources.s
  expect(withTime(running, nothing, 4_000).wall_ms).toBe(3_000)
  const over = told(reserved('r', { at: 1_000 }), counted({ wall_ms: 3_000 }, { over: true }))
  expect(over?.sources.s?.since).toBeUndefined()
  expect(withTime(over?.sources.s, over?.used ?? nothing, 9_000).wall_ms).toBe(3_000)
  const again = told(
    reserved('r', { at: 1_000 }),
    counted({ wall_ms: 3_000 }, { over: true }),
    reserved('q', { at: 100_000 }),
  )
  expect(withTime(again?.sources.s, nothing, 101_000).wall_ms).toBe(4_000)
})

test('who is over and forgotten is not counted again', () => {
  let account: Account | undefined = opened(day)
  for (let source = 0; source < 300; source += 1)
    account = reduceAccount(
      account,
      budgetFact('budget.counted', 'root', { source: `s${source}`, day, at: some({ turns: 1 }), over: true }),
    )
  expect([account?.used.turns, Object.keys(account?.sources ?? {}).length]).toEqual([300, 200])
})

/** One session: runs, each with answers that the stream tells of, and, where it was not cut off, with the totals. */
const runs = fc.array(
  fc.record({
    answers: fc.array(fc.record({ tokens: fc.nat(1000), hidden: fc.nat(50) }), { maxLength: 6 }),
    cut: fc.boolean(),
  }),
  { minLength: 1, maxLength: 5 },
)

test('whatever is told twice, late, again by another host, or only by a total: what was used is counted once', () => {
  fc.assert(
    fc.property(runs, fc.infiniteStream(fc.nat(3)), (played, chance) => {
      const next = (): number => chance.next().value as number
      let account: Account | undefined
      let [truth, turns, total, lastTotal] = [0, 0, 0, 0]
      const put = (...[type, data]: [Told[0], Told[2]]): void => {
        const fact = budgetFact(type, 'agent/a', data as never)
        account = reduceAccount(account, fact)
        // As it is read back from the journal, and once more.
        account = JSON.parse(JSON.stringify(next() === 0 ? reduceAccount(account, fact) : account))
      }
      const source = () => account?.sources.s
      let known = true
      for (const [number, { answers, cut }] of played.entries()) {
        put(...reserved(`r${number}`))
        const heard: number[] = []
        for (const { tokens, hidden } of answers) {
          heard.push(tokens)
          total += tokens + hidden
          turns += 1
          const sum = heard.reduce((one, other) => one + other, 0)
          put(...counted(sinceStart(source(), { turns: heard.length, tokens: sum })))
          // A host that comes later hears all of it again from the beginning.
          if (next() === 0)
            for (let count = 1; count <= heard.length; count += 1) {
              const part = heard.slice(0, count).reduce((one, other) => one + other, 0)
              put(...counted(sinceStart(source(), { turns: count, tokens: part })))
            }
        }
        known = !cut
        if (cut) continue
        put(...counted(sincePaid(source(), { tokens: total - lastTotal }), { paid: true }))
        lastTotal = total
      }
      truth = total
      expect(account?.used.turns).toBe(turns)
      expect(account?.used.runs).toBe(played.length)
      if (known) expect(account?.used.tokens).toBe(truth)
      else expect(account?.used.tokens).toBeLessThanOrEqual(truth)
      expect(account?.day.used).toEqual(account?.used)
      expect(schema.parse(account)).toEqual(account)
    }),
    { seed: 7, numRuns: 300 },
  )
})

test('amounts add up without the noise of floating numbers', () => {
  expect(plus(some({ cost_usd: 0.1 }), { cost_usd: 0.2 })).toEqual(some({ cost_usd: 0.3 }))
})
