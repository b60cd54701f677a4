import { expect, test } from 'vitest'
import { launched } from '../rules.ts'
import type { Session } from '../schema.ts'
import { span, summary } from './rules.ts'

test.each([
  [-5, '0s'],
  [999, '0s'],
  [59_999, '59s'],
  [60_000, '1m'],
  [3_600_000, '1h'],
  [7_500_000, '2h5m'],
  [86_400_000, '1d'],
  [100_800_000, '1d4h'],
])('%d ms is %s', (ms, text) => {
  expect(span(ms)).toBe(text)
})

const born = launched({ id: 's', agent: 'coder', managed: true, reviewer: false, at: 0, reportMs: 30_000 })
const up: Session = { ...born, started: true }
const turn = { id: 'A', since: 0, answered: true }
const calls = [{ id: '1', tool: 'Bash' }]
const work = { id: 'a', kind: 'subagent', description: 'look' }

const table: readonly (readonly [Session, string, boolean])[] = [
  [born, 'starting', false],
  [up, 'idle', false],
  [{ ...up, background: [work] }, 'idle (1 in the background)', false],
  [{ ...up, turn }, 'working (thinking)', false],
  [{ ...up, turn, calls }, 'working (Bash)', false],
  [{ ...up, turn, calls, waiting: [{ tool: 'Bash', by: 'reviewer' }] }, 'working (permission review)', false],
  [{ ...up, turn, calls, waiting: [{ tool: 'Bash', by: 'person' }] }, 'blocked (permission: Bash)', true],
  [
    { ...up, waiting: [{ tool: 'Bash', by: 'person', approval: 'a1b2' }] },
    'blocked (permission: Bash, a1b2)',
    true,
  ],
  [{ ...up, waiting: [{ tool: '\u001b[31mX\nY', by: 'person' }] }, 'blocked (permission: X Y)', true],
  [{ ...up, compacting: true }, 'working (compacting)', false],
  [{ ...up, turn: { ...turn, review: true } }, 'working (in review)', false],
  [
    { ...up, limit: { what: 'the quota is used up', since: 0, until: 400_000, sure: true } },
    'limited (the quota is used up, 5m left)',
    false,
  ],
  [
    { ...up, limit: { what: 'the API has trouble', since: 0, until: 130_000, sure: false } },
    'limited (the API has trouble, try again in 30s)',
    false,
  ],
  [{ ...up, trouble: { what: 'no credit', next: 'Pay.', since: 0 } }, 'error (no credit)', true],
  [{ ...up, draining: true }, 'draining', false],
  [{ ...up, over: { how: 'exited', code: 3, signal: null } }, 'exited (code 3)', false],
  [{ ...up, over: { how: 'exited', code: null, signal: 'SIGKILL' } }, 'exited (SIGKILL)', false],
  [{ ...up, over: { how: 'lost' } }, 'lost', false],
  [{ ...up, unsupervised: 'a tool ran' }, 'unsupervised (a tool ran)', true],
  [{ ...born, managed: false, output: 40_000 }, 'unmanaged (quiet for 1m)', false],
]

test.each(table)('%#: %s', (session, text, needsYou) => {
  const found = summary(session, 100_000)
  expect([found.text, found.needsYou, found.forMs]).toEqual([text, needsYou, 100_000])
})

test('tokens of all kinds are one number', () => {
  const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, costUsd: 0.5 }
  expect(summary({ ...up, usage, turns: 2, queue: ['x'] }, 0)).toEqual({
    state: 'idle',
    text: 'idle',
    forMs: 0,
    needsYou: false,
    turns: 2,
    tokens: 10,
    costUsd: 0.5,
    background: 0,
    queued: 1,
  })
})
