import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import type { Fact } from '../journal/schema.ts'
import { reduceOf } from '../state/rules.ts'
import { openStore } from '../store/sqlite.ts'
import type { Store } from '../store/store.ts'
import { type Budgets, openBudgets } from './book.ts'
import type { RootBudget } from './schema.ts'

const noon = new Date(2026, 0, 2, 12).getTime()
const minute = 60_000

type World = {
  readonly budgets: Budgets
  readonly facts: Fact[]
  readonly store: Store
  at: number
  /** Another host, with what was stored. */
  again(): Promise<Budgets>
  full: boolean
}

const world = async (limits: readonly RootBudget[] = []): Promise<World> => {
  const store = await openStore({ file: ':memory:', reduce: reduceOf, now: () => new Date(0) })
  onTestFinished(() => store.close())
  const facts: Fact[] = []
  let writing: Promise<unknown> = Promise.resolve()
  const open = async (): Promise<Budgets> => {
    await writing
    const record = (...told: readonly Fact[]): void => {
      facts.push(...told)
      if (!here.full) writing = Promise.all([writing, store.append(told)])
    }
    const written = async (): Promise<boolean> => {
      await writing
      return !here.full
    }
    const budgets = await openBudgets({ store, record, written, now: () => here.at, limits })
    onTestFinished(budgets.close)
    return budgets
  }
  const here = { facts, store, at: noon, again: open, full: false } as {
    -readonly [K in keyof World]: World[K]
  }
  here.budgets = await open()
  return here
}

const run = (name: string, more: object = {}) => ({
  agent: 'a',
  role: 'coder',
  source: `session-${name}`,
  run: `run-${name}`,
  limits: [],
  ...more,
})
const used = (budgets: Budgets): readonly unknown[] =>
  budgets.lines().map(({ scope, measure, used, of }) => [scope, measure, used, of])
const types = ({ facts }: World): readonly string[] =>
  facts.map(({ type, subject, data }) => [type, subject, data.limit].filter(Boolean).join(' '))

test('never more launches than runs, however many ask at once; what was never launched is given back', async () => {
  const asked = fc.array(fc.record({ agent: fc.constantFrom('a', 'b', 'c'), fails: fc.boolean() }), {
    minLength: 1,
    maxLength: 12,
  })
  await fc.assert(
    fc.asyncProperty(asked, fc.integer({ min: 1, max: 4 }), async (launches, most) => {
      const { budgets, again } = await world([{ role: 'coder', runs: most }])
      let [up, peak] = [0, 0]
      const launch = async (
        { agent, fails }: { agent: string; fails: boolean },
        place: number,
      ): Promise<void> => {
        const meter = await budgets.reserve(run(String(place), { agent })).catch(() => undefined)
        if (meter === undefined) return
        up += 1
        peak = Math.max(peak, up)
        await Promise.resolve()
        if (!fails) return
        up -= 1
        meter.release()
      }
      await Promise.all(launches.map(launch))
      expect(peak).toBeLessThanOrEqual(most)
      expect(used(budgets)).toEqual([['role/coder', 'runs', up, most]])
      expect(used(await again())).toEqual([['role/coder', 'runs', up, most]])
    }),
    { seed: 5, numRuns: 40 },
  )
})

test('refused with what is used and what to type; a run that could not be stored is none', async () => {
  const here = await world()
  const limits = [{ runs: 1 }]
  await here.budgets.reserve(run('1', { limits }))
  await expect(here.budgets.reserve(run('2', { limits }))).rejects.toMatchObject({
    code: 'budget_exceeded',
    message: 'The budget of the agent a is used up: 1 of 1 runs.',
    words: { next: 'Type `agency budget raise a --runs +1` to let it go on.' },
  })
  await here.budgets.raise('agent/a', { runs: 1 }, 'ann')
  here.full = true
  await expect(here.budgets.reserve(run('2', { limits }))).rejects.toMatchObject({ code: 'not_stored' })
  here.full = false
  await here.budgets.reserve(run('2', { limits }))
  expect(used(here.budgets)).toEqual([['agent/a', 'runs', 2, 2]])
  await expect(here.budgets.raise('agent/a', { turns: 1 }, 'ann')).rejects.toMatchObject({
    code: 'budget_unlimited',
  })
})

test('an agent, its role, its pod and the root are counted, each where it has a limit; another host goes on', async () => {
  const here = await world([
    { role: 'coder', turns: 10 },
    { tokens: 1000, per: 'day' },
    { agent: 'b', turns: 1 },
  ])
  await here.budgets.limit('pod/web', [{ cost_usd: 1 }])
  const meter = await here.budgets.reserve(run('1', { pod: 'web', limits: [{ turns: 5 }] }))
  meter.add({ turns: 1, tokens: 120, cost_usd: 0.25 })
  meter.add({ turns: 1, tokens: 80, cost_usd: 0.25 })
  const all = [
    ['agent/a', 'turns', 2, 5],
    ['agent/b', 'turns', 0, 1],
    ['pod/web', 'cost_usd', 0.5, 1],
    ['role/coder', 'turns', 2, 10],
    ['root', 'tokens', 200, 1000],
  ]
  expect(used(here.budgets)).toEqual(all)
  expect(here.budgets.linesOf('a').map(({ scope }) => scope)).toEqual([
    'agent/a',
    'role/coder',
    'pod/web',
    'root',
  ])
  const next = await here.again()
  expect(used(next)).toEqual(all)
  next.meter({ agent: 'a', role: 'coder', pod: 'web' }, 'session-1').add({ turns: 1, tokens: 1, cost_usd: 0 })
  expect(used(next)[0]).toEqual(['agent/a', 'turns', 3, 5])
})

test('each limit is told once as it becomes near, once as it is reached, and again when it was raised', async () => {
  const here = await world()
  const seen: string[] = []
  here.budgets.watch(() => seen.push(here.budgets.lines()[0]?.level ?? ''))
  const meter = await here.budgets.reserve(run('1', { limits: [{ turns: 5 }] }))
  for (let turn = 0; turn < 6; turn += 1) meter.add({ turns: 1 })
  await here.budgets.raise('agent/a', { turns: 10 }, 'ann')
  expect(meter.reached()).toBeUndefined()
  for (let turn = 0; turn < 6; turn += 1) meter.add({ turns: 1 })
  expect(seen).toEqual(['near', 'reached', 'free', 'near'])
  expect(types(here).filter((type) => !/counted|reserved|raised/.test(type))).toEqual([
    'budget.warned budget:agent/a turns',
    'budget.reached budget:agent/a turns',
    'budget.warned budget:agent/a turns',
  ])
})

test('a day ends at midnight, for what was used and for what was raised', async () => {
  const here = await world([{ turns: 3, per: 'day' }])
  const meter = await here.budgets.reserve(run('1'))
  meter.add({ turns: 3 })
  await here.budgets.raise('root', { turns: 1 }, 'ann')
  expect(used(here.budgets)).toEqual([['root', 'turns', 3, 4]])
  here.at += 12 * 60 * minute
  expect(used(here.budgets)).toEqual([['root', 'turns', 0, 3]])
  meter.add({ turns: 2 })
  expect(used(here.budgets)).toEqual([['root', 'turns', 2, 3]])
  expect(used(await here.again())).toEqual([['root', 'turns', 2, 3]])
})

test('runs do not hold what runs, only what would run next', async () => {
  const here = await world()
  const meter = await here.budgets.reserve(run('1', { limits: [{ runs: 1 }] }))
  expect([meter.reached(), meter.worst(), meter.next()?.level]).toEqual([undefined, undefined, 'reached'])
})

test('time is counted while it runs, over hosts too, and what was reached by it is told', async () => {
  const here = await world()
  const limits = [{ wall_time: '10m' }]
  const meter = await here.budgets.reserve(run('1', { limits }))
  here.at += 4 * minute
  expect(used(here.budgets)).toEqual([['agent/a', 'wall_ms', 4 * minute, 10 * minute]])
  const next = await here.again()
  here.at += 2 * minute
  expect(used(next)).toEqual([['agent/a', 'wall_ms', 6 * minute, 10 * minute]])
  next.meter({ agent: 'a', role: 'coder' }, 'session-1').over(here.at - minute)
  here.at += 60 * minute
  expect(used(next)).toEqual([['agent/a', 'wall_ms', 5 * minute, 10 * minute]])
  expect(meter.left('wall_ms')).toBe(0)
  await next.reserve(run('1', { run: 'other', limits }))
  here.at += 5 * minute
  expect(next.meter({ agent: 'a' }, 'session-1').reached()?.measure).toBe('wall_ms')
})

test('who is launched anew begins anew, but not what config.yaml limits for the name', async () => {
  const here = await world([{ agent: 'a', turns: 10 }])
  const limits = [{ turns: 4 }]
  const first = await here.budgets.reserve(run('1', { limits, fresh: true }))
  first.add({ turns: 4 })
  await expect(here.budgets.reserve(run('1', { run: 'again', limits }))).rejects.toThrow('4 of 4 turns')
  const second = await here.budgets.reserve(run('2', { limits, fresh: true }))
  second.add({ turns: 1 })
  expect(used(here.budgets)).toEqual([
    ['agent/a', 'turns', 1, 4],
    ['agent/a', 'turns', 5, 10],
  ])
  expect(types(here).filter((type) => /warned|reached/.test(type))).toEqual([
    'budget.reached budget:agent/a turns',
  ])
  // A role that has no limit any more.
  await here.budgets.reserve(run('3', { fresh: true }))
  expect(used(here.budgets)).toEqual([['agent/a', 'turns', 5, 10]])
})

test('before the first answer is counted, any call may be the one too many; then as many as their sizes tell', async () => {
  const { budgets } = await world()
  const meter = await budgets.reserve(run('1', { limits: [{ tokens: 300, turns: 50 }] }))
  expect([meter.couldReach(0), meter.couldReach(1)]).toEqual([false, true])
  meter.add({ turns: 1, tokens: 100 })
  expect([meter.couldReach(1), meter.couldReach(2)]).toEqual([false, true])
})

test('a process that is replaced is no run of its own, and takes the limits of its new role', async () => {
  const { budgets } = await world()
  await budgets.reserve(run('1', { limits: [{ runs: 1 }] }))
  const again = { ...run('1', { limits: [{ runs: 1, turns: 7 }], again: true }), run: 'run-2' }
  await budgets.reserve(again)
  expect(used(budgets)).toEqual([
    ['agent/a', 'turns', 0, 7],
    ['agent/a', 'runs', 1, 1],
  ])
  await expect(budgets.reserve(run('3', { limits: [{ runs: 1 }] }))).rejects.toMatchObject({
    code: 'budget_exceeded',
  })
})
