import { expect, test } from 'vitest'
import type { Line } from '../budget/rules.ts'
import { guardOf } from './guard.ts'

const line: Line = { scope: 'agent/a', measure: 'turns', used: 3, of: 3, level: 'reached' }

/** A budget of three answers, of which `counted` are known. */
const three = () => {
  const state = { counted: 0 }
  const meter = {
    reached: () => (state.counted >= 3 ? line : undefined),
    couldReach: (answers: number) => state.counted + answers >= 3,
    countsAnswers: () => true,
  }
  return { state, meter }
}
const [now, patience] = [() => performance.now(), 60_000]

test('far from a limit nobody waits; near it, the call waits for what its answer has used', async () => {
  const { state, meter } = three()
  const guard = guardOf({ meter, now, patience })
  expect(await guard.opinion('c1')).toBeUndefined()
  expect(await guard.opinion('c2')).toBeUndefined()
  const third = guard.opinion('c3')
  state.counted = 2
  guard.heard()
  state.counted = 3
  guard.heard()
  expect(await third).toMatchObject({ layer: 'budget', verdict: 'deny', rule: 'turns' })
  expect(await guard.opinion('c4')).toMatchObject({ verdict: 'deny' })
  expect(guard.limit()).toContain('3 of 3 turns')
})

test('who has been told of as many answers as there were calls goes on at once', async () => {
  const { state, meter } = three()
  const guard = guardOf({ meter, now, patience })
  expect(await guard.opinion('c1')).toBeUndefined()
  state.counted = 1
  guard.heard()
  expect(await guard.opinion('c2')).toBeUndefined()
  const title = guard.opinion('c3')
  guard.heard(false)
  state.counted = 2
  guard.heard()
  guard.heard()
  expect(await title).toBeUndefined()
})

test('where the answer of a call can be known, the call waits for that alone', async () => {
  const { state, meter } = three()
  const known = new Set<string>()
  const guard = guardOf({ meter, now, patience, isCounted: (call) => known.has(call) })
  state.counted = 2
  const waiting = guard.opinion('c1')
  guard.heard()
  known.add('c1')
  guard.heard()
  expect(await waiting).toBeUndefined()
  expect(guard.limit()).toBeUndefined()
})

test('who is told nothing does not wait for ever', async () => {
  const { state, meter } = three()
  state.counted = 2
  expect(await guardOf({ meter, now, patience: 50 }).opinion('c1')).toBeUndefined()
})

test('a program that stops telling what it uses is stopped, not trusted', async () => {
  let at = 0
  const meter = { reached: () => undefined, couldReach: () => false, countsAnswers: () => true }
  const guard = guardOf({ meter, now: () => at, patience: 20 })
  for (let call = 0; call < 40; call += 1) expect(await guard.opinion(`c${call}`)).toBeUndefined()
  at = 31_000
  const late = guard.opinion('late')
  at += 20
  expect(await late).toMatchObject({ layer: 'budget', verdict: 'deny', rule: 'telemetry' })
  const told = guard.opinion('told')
  guard.heard()
  expect(await told).toBeUndefined()
  const unlimited = guardOf({ meter: { ...meter, countsAnswers: () => false }, now: () => at })
  for (let call = 0; call < 40; call += 1) await unlimited.opinion(`c${call}`)
  at += 60_000
  expect(await unlimited.opinion('late')).toBeUndefined()
})
