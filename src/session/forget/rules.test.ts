import { expect, test } from 'vitest'
import type { Event } from '../../journal/schema.ts'
import { reduceSession } from '../record/rules.ts'
import type { KeptState, SessionRecord } from '../record/schema.ts'
import { sessionEvents } from '../record/schema.ts'
import { forgetFact, forgettable, type Known } from './rules.ts'

const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: 0 }
const known = (id: string, agent: string, name: KeptState['name'], minute = 0): Known => {
  const launched = `2026-01-01T00:${String(minute).padStart(2, '0')}:00.000Z`
  const record: SessionRecord = {
    agent,
    managed: true,
    cwd: '/w',
    overrides: {},
    turns: 0,
    usage,
    launched,
    since: launched,
    state: { name },
  }
  return { id, record }
}

test.each<[string, readonly Known[], readonly string[], readonly string[]]>([
  ['nothing', [], [], []],
  ['ended, and its directory is there', [known('1', 'a', 'exited')], ['a'], []],
  ['ended, and its directory is gone', [known('1', 'a', 'exited'), known('2', 'b', 'lost')], [], ['1', '2']],
  ['what lives, whatever is there', [known('1', 'a', 'idle'), known('2', 'a', 'starting', 1)], [], []],
  ['an earlier one', [known('2', 'a', 'exited', 5), known('1', 'a', 'exited', 3)], ['a'], ['1']],
  ['an earlier one of who lives', [known('1', 'a', 'lost', 3), known('2', 'a', 'working', 5)], ['a'], ['1']],
  ['one of another name', [known('1', 'a', 'exited', 3), known('2', 'b', 'exited', 5)], ['a', 'b'], []],
])('%s', (_, sessions, there, gone) => {
  expect(forgettable(sessions, new Set(there)).map(({ id }) => id)).toEqual(gone)
})

test('a forgotten session has no record', () => {
  const one = known('1', 'a', 'exited')
  const told = forgetFact(one)
  expect([told.kind, told.subject]).toEqual(['state', 'session:1'])
  expect(sessionEvents['session.forgotten'].parse(told.data)).toEqual({ agent: 'a' })
  const event: Event = { ...told, seq: 1, at: one.record.since }
  expect(reduceSession(one.record, event)).toBeUndefined()
})
