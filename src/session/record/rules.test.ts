import { expect, test } from 'vitest'
import type { HookEvent } from '../../driver/schema.ts'
import type { Event, Fact } from '../../journal/schema.ts'
import { hear, launched, stateOf } from '../rules.ts'
import type { Session, Signal } from '../schema.ts'
import { changeOf, launchFact, recovered, reduceSession } from './rules.ts'
import { type SessionRecord, sessionEvents, sessionRecord } from './schema.ts'

const born = launched({ id: 's', agent: 'coder', managed: true, reviewer: false, at: 0, reportMs: 30_000 })
const hook = (event: object): Signal => ({
  from: 'hook',
  event: { session: 's', cwd: '/', transcript: '/t', turn: 'A', ...event } as HookEvent,
})
const call = { id: 'c', tool: 'Bash', input: {} }
const signals: readonly Signal[] = [
  hook({ kind: 'session_started', source: 'startup' }),
  hook({ kind: 'prompted', text: 'x', origin: 'person', reads: [] }),
  hook({ kind: 'tool_asked', call }),
  hook({ kind: 'permission_asked', tool: 'Bash', input: {} }),
  hook({ kind: 'tool_done', call }),
  hook({ kind: 'turn_ended', again: false, last: '', background: [] }),
  hook({ kind: 'notified', type: 'idle_prompt', text: '' }),
  { from: 'keeper', event: { kind: 'exited', code: 1, signal: null } },
]
const launch = {
  agent: 'coder',
  role: 'coder',
  managed: true,
  cwd: '/w',
  overrides: {},
  turns: 0,
  usage: born.usage,
}

const heard = (): { session: Session; facts: readonly Fact[] } => {
  const facts: Fact[] = [launchFact('s', launch)]
  let session = born
  for (const [at, signal] of signals.entries()) {
    const next = hear(session, signal, at)
    const change = changeOf('s', session, next)
    if (change !== undefined) facts.push(change)
    session = next
  }
  return { session, facts }
}

test('the journal hears of each change, and keeps those that decide', () => {
  const { facts } = heard()
  expect(facts.map(({ kind, type, data }) => [kind, type, data.state])).toEqual([
    ['state', 'session.launched', undefined],
    ['state', 'session.changed', { name: 'idle' }],
    ['state', 'session.changed', { name: 'working', turn: 'A' }],
    ['activity', 'session.doing', { name: 'working', doing: 'tool', tool: 'Bash' }],
    ['state', 'session.changed', { name: 'blocked', tool: 'Bash', turn: 'A' }],
    ['state', 'session.changed', { name: 'working', turn: 'A' }],
    ['state', 'session.changed', { name: 'idle' }],
    ['state', 'session.changed', { name: 'exited', code: 1, signal: null }],
  ])
  for (const { kind, type, data } of facts.filter((one) => one.kind === 'state')) {
    expect([kind, sessionEvents[type as keyof typeof sessionEvents].parse(data)]).toEqual(['state', data])
  }
})

test('another conversation is still the session that was launched', () => {
  const anew = hear(born, hook({ kind: 'session_started', source: 'clear', session: 'other' }), 1)
  expect([anew.id, changeOf('s', born, anew)?.subject]).toEqual(['other', 'session:s'])
})

test('the record folds to the state that was heard', () => {
  const { session, facts } = heard()
  const events: Event[] = facts
    .filter(({ kind }) => kind === 'state')
    .map((one, seq) => ({ ...one, seq: seq + 1, at: `2026-01-01T00:00:0${seq}.000Z` }))
  const record = events.reduce<SessionRecord | undefined>(reduceSession, undefined)
  expect(sessionRecord.parse(record)).toEqual({
    ...launch,
    launched: '2026-01-01T00:00:00.000Z',
    turns: 1,
    ended: ['A'],
    state: stateOf(session),
    since: '2026-01-01T00:00:06.000Z',
  })
  const strange = { ...events[0], type: 'session.renamed', data: {} } as Event
  expect(reduceSession(record, strange)).toBe(record)
})

test('after the host was away, calls that the keeper saw are no escape', () => {
  const at = '2026-01-01T00:00:00.000Z'
  const record: SessionRecord = { ...launch, launched: at, since: at, state: { name: 'idle' }, turns: 3 }
  const ended: Signal = {
    from: 'transcript',
    event: { kind: 'ended', ended: { call: 'c', ok: true, ran: true } },
  }
  expect(stateOf(hear(recovered(born, record, { asked: ['c'], since: 0 }), ended, 1))).toEqual({
    name: 'idle',
  })
  expect(stateOf(hear(recovered(born, record, { asked: [], since: 0 }), ended, 1)).name).toBe('unsupervised')
  for (const state of [
    { name: 'idle' },
    { name: 'blocked', tool: 'Bash', approval: 'p' },
    { name: 'limited', what: 'w', until: 5, sure: true },
    { name: 'error', what: 'w', next: 'n' },
  ] as const)
    expect(stateOf(recovered(born, { ...record, state }, { asked: [], since: 0 }))).toEqual(state)
  const working = recovered(
    born,
    { ...record, state: { name: 'working', turn: 'A' } },
    { asked: [], since: 0 },
  )
  expect(working.turn).toEqual({ id: 'A', since: 0, answered: false })
  expect(stateOf(working)).toEqual({ name: 'working', doing: 'thinking' })
  const told: Signal = {
    from: 'transcript',
    event: { kind: 'prompted', text: '', origin: 'person', turn: 'A' },
  }
  const idle = recovered(born, { ...record, ended: ['A'] }, { asked: [], since: 0 })
  expect(stateOf(hear(idle, told, 1))).toEqual({ name: 'idle' })
  const stop = hook({ kind: 'turn_ended', again: false, last: '', background: [] })
  expect(stateOf(hear(working, stop, 1))).toEqual({ name: 'idle' })
  const escaped: SessionRecord = { ...record, state: { name: 'unsupervised', why: 'because' } }
  expect(stateOf(recovered(born, escaped, { asked: [], since: 0 }))).toEqual({
    name: 'unsupervised',
    why: 'because',
  })
})

test('the end of a turn that is told again to the next host counts once', () => {
  const at = '2026-01-01T00:00:00.000Z'
  const record: SessionRecord = { ...launch, launched: at, since: at, state: { name: 'idle' }, turns: 3 }
  const stop = hook({ kind: 'turn_ended', turn: 'A', again: false, last: '', background: [] })
  const turnsAfter = (ended: object): number =>
    hear(recovered(born, { ...record, ...ended }, { asked: [], since: 0 }), stop, 1).turns
  expect([turnsAfter({}), turnsAfter({ ended: ['A', 'C'] }), turnsAfter({ ended: ['B'] })]).toEqual([4, 3, 4])
})

test('what was spent is kept at once, and counts once when it is told again to the next host', () => {
  const at = '2026-01-01T00:00:00.000Z'
  const usage = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, costUsd: 0.1 }
  const event = { kind: 'requested', at: 7, model: 'm', ms: 3, usage } as const
  const paid: Signal = { from: 'telemetry', event } as Signal
  const after = hear(born, paid, 1)
  const spent = changeOf('s', born, after)
  expect([spent?.type, sessionEvents['session.spent'].parse(spent?.data).usage]).toEqual([
    'session.spent',
    usage,
  ])
  const was: SessionRecord = { ...launch, launched: at, since: at, state: { name: 'idle' } }
  const record = reduceSession(was, { ...(spent as Fact), seq: 1, at })
  const next = recovered(born, record as SessionRecord, { asked: [], since: 0 })
  expect([next.usage, hear(next, paid, 2).usage]).toEqual([usage, usage])
})
