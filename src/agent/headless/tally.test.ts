import { expect, test } from 'vitest'
import { nothing } from '../../budget/account/rules.ts'
import type { StreamEvent } from '../../driver/schema.ts'
import { tallyOf } from './tally.ts'

const answered = (id: string, output: number): StreamEvent => ({
  kind: 'answered',
  id,
  usage: { input: 100, output, cacheRead: 10, cacheWrite: 1 },
})

test('an answer counts once, however many pieces it has, and by the most that was told of it', () => {
  const told: unknown[] = []
  const tally = tallyOf({ since: (spent) => told.push(spent), counted: () => nothing })
  tally.hear(answered('m1', 1))
  tally.hear(answered('m1', 1))
  tally.hear({ kind: 'called', call: { id: 'c1', tool: 'Bash', input: {} } })
  tally.hear(answered('m1', 9))
  tally.hear(answered('m2', 0))
  expect(told).toEqual([
    { turns: 1, tokens: 112 },
    { turns: 1, tokens: 120 },
    { turns: 2, tokens: 231 },
  ])
  expect([tally.knows('c1'), tally.knows('c2')]).toEqual([true, false])
})

test('what telemetry tells is believed where it is more, also by the next host', () => {
  const told: unknown[] = []
  const since = (spent: unknown): void => void told.push(spent)
  const used = { input: 100, output: 50, cacheRead: 10, cacheWrite: 1, costUsd: 0.1 }
  const tally = tallyOf({ since, counted: () => nothing })
  tally.hear(answered('m1', 1))
  tally.told(used)
  tally.hear(answered('m2', 1))
  expect(tally.tokens()).toBe(224)
  const next = tallyOf({ since, counted: () => ({ ...nothing, tokens: 322 }) })
  next.hear(answered('m1', 1))
  next.told(used)
  const late = tallyOf({ since, counted: () => ({ ...nothing, tokens: 112 }) })
  late.hear(answered('m1', 1))
  late.told(used)
  expect(told).toEqual([
    { turns: 1, tokens: 112 },
    { turns: 1, tokens: 161 },
    { turns: 2, tokens: 224 },
    { turns: 1, tokens: 112 },
    { turns: 1, tokens: 483 },
    { turns: 1, tokens: 112 },
    { turns: 1, tokens: 161 },
  ])
})
