import fc from 'fast-check'
import { expect, test } from 'vitest'
import { budgetFact, nothing } from '../budget/account/rules.ts'
import { componentFact, factsOfStart, hostFact } from '../host/rules.ts'
import type { HostRecord } from '../host/schema.ts'
import { activity, fact } from '../journal/rules.ts'
import type { Event, Fact } from '../journal/schema.ts'
import { queueFact } from '../message/rules.ts'
import type { Message } from '../message/schema.ts'
import { forgetFact, fresh, openFact } from '../review/record/rules.ts'
import { openStore } from '../store/sqlite.ts'
import { queueFact as queueTask } from '../task/rules.ts'
import type { Task } from '../task/schema.ts'
import { emptyState, fold, reduceOf, stateOf } from './rules.ts'
import { type State, state, stateEvents } from './schema.ts'

const self = { pid: 7, started: '1@boot', version: '1.0.0' }
const launched = { agent: 'a', managed: true, cwd: '/w', overrides: {} }
const message: Message = {
  id: 'm',
  from: { kind: 'person', name: 'ann' },
  to: 'a',
  text: 'hello',
  lane: 'normal',
  at: 0,
  life: 'queued',
}
const task: Task = {
  id: 'task-1',
  agent: 'a',
  session: 's-1',
  preview: 'hello',
  digest: 'd',
  at: 0,
  timeout: 5,
  state: 'queued',
}
const usage = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, costUsd: 0.5 }
const progress = { turns: 1, usage }
const day = '2026-01-02'

const facts: fc.Arbitrary<Fact> = fc.oneof(
  fc
    .constantFrom('a', 'b')
    .chain((machine) =>
      fc.constantFrom(
        hostFact(machine, 'started', self),
        hostFact(machine, 'idle'),
        hostFact(machine, 'draining', { reason: 'r' }),
        hostFact(machine, 'stopped'),
        hostFact(machine, 'lost'),
      ),
    ),
  fc
    .constantFrom('agents/x', 'directors/x')
    .chain((id) =>
      fc.constantFrom(
        componentFact(id, 'started', { type: 'agent' }),
        componentFact(id, 'changed', { state: 'idle' }),
        componentFact(id, 'changed', { state: 'error', message: 'why' }),
        componentFact(id, 'stopped'),
        componentFact(id, 'lost'),
      ),
    ),
  fc
    .constantFrom('s-1', 's-2')
    .chain((id) =>
      fc.constantFrom(
        fact('session.launched', id, { ...launched, ...progress }),
        fact('session.changed', id, { ...progress, state: { name: 'idle' } }),
        fact('session.changed', id, { ...progress, state: { name: 'blocked', tool: 'Bash' } }),
        fact('session.forgotten', id, { agent: 'a' }),
        activity('session.called', id, { call: 'c', tool: 'Bash' }),
      ),
    ),
  fc
    .constantFrom('m-1', 'm-2')
    .chain((id) =>
      fc.constantFrom(
        queueFact({ ...message, id }),
        fact('message.changed', id, { life: 'sent', session: 's-1', sentAt: 1 }),
        fact('message.changed', id, { life: 'ended', turn: 't' }),
        fact('message.forgotten', id),
      ),
    ),
  fc
    .constantFrom('task-1', 'task-2')
    .chain((id) =>
      fc.constantFrom(
        queueTask({ ...task, id }),
        fact('task.changed', id, { state: 'working', startedAt: 1, before: usage }),
        fact('task.changed', id, { state: 'completed', startedAt: 1, endedAt: 2, output: 'x', used: usage }),
        fact('task.forgotten', id),
      ),
    ),
  fc.constantFrom('agent/a', 'root').chain((scope) =>
    fc.constantFrom(
      budgetFact('budget.reserved', scope, { run: 'r', source: 's-1', day, at: 1, limits: [{ turns: 5 }] }),
      budgetFact('budget.reserved', scope, { run: 'q', source: 's-1', day, at: 2, fresh: true }),
      budgetFact('budget.released', scope, { run: 'r', source: 's-1', day }),
      budgetFact('budget.counted', scope, { source: 's-1', day, at: { ...nothing, turns: 3 } }),
      budgetFact('budget.counted', scope, {
        source: 's-2',
        day,
        at: { ...nothing, tokens: 7 },
        paid: true,
      }),
      budgetFact('budget.limited', scope, { limits: [{ cost_usd: 1, per: 'day' }] }),
      budgetFact('budget.raised', scope, { more: { turns: 2 }, day, by: 'ann' }),
    ),
  ),
  fc.constantFrom('s-1', 's-2').chain((id) =>
    fc.constantFrom(
      openFact({ ...fresh(id, 1), state: 'pending', cause: 'prompt' }),
      fact('review.changed', id, { set: { state: 'blocked', blocks: 1, changed: 2 } }),
      fact('review.changed', id, {
        set: { state: 'approved', changed: 3, approval: { at: 3, since: 3, turn: 0 } },
        gone: ['cause'],
        decision: { verdict: 'COMPLETE', summary: 'ok', by: 'person', name: 'ann', at: 3 },
      }),
      fact('review.changed', id, {
        set: { turn: 1, changed: 4 },
        gone: ['approval'],
        prompt: { text: '#roz', at: 4 },
      }),
      activity('review.stop_called', id, { answer: 'block' }),
      forgetFact(id),
    ),
  ),
  // From a newer version: unknown events and nouns change nothing.
  fc.constantFrom<Fact>(
    { kind: 'state', type: 'host.promoted', subject: 'host:a', data: {} },
    { kind: 'state', type: 'moon.rose', subject: 'moon:1', data: { phase: 'full' } },
    { kind: 'activity', type: 'component.used', subject: 'component:agents/x', data: {} },
  ),
)

test('a snapshot and the events behind it fold to what the store keeps', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(facts, { maxLength: 40 }), fc.nat(40), async (all, cut) => {
      const store = await openStore({ file: ':memory:', reduce: reduceOf, now: () => new Date(0) })
      try {
        await store.append(all.slice(0, cut))
        const before = await store.list()
        await store.append(all.slice(cut))
        const after = await store.list()
        const between = await store.events({ after: before.seq, limit: 1000 })
        expect(between.reduce<State>(fold, stateOf(before.kept))).toEqual(stateOf(after.kept))
        expect(state.parse(stateOf(after.kept))).toEqual(stateOf(after.kept))
      } finally {
        await store.close()
      }
    }),
    { numRuns: 40 },
  )
})

test('every fact of this version has the data its schema says', () => {
  fc.assert(
    fc.property(facts, (fact) => {
      if (!(fact.type in stateEvents)) return
      const schema = stateEvents[fact.type as keyof typeof stateEvents]
      expect(schema.safeParse(fact.data).success).toBe(true)
    }),
  )
})

const events = (...all: readonly Fact[]): Event[] =>
  all.map((fact, at) => ({ ...fact, seq: at + 1, at: `2026-01-01T00:00:0${at}.000Z` }))

test('a host that never said it stopped was lost, and its components with it', async () => {
  const before = events(
    hostFact('m', 'started', self),
    componentFact('agents/a', 'started', { type: 'agent' }),
    componentFact('agents/b', 'started', { type: 'agent' }),
    componentFact('agents/b', 'stopped'),
  ).reduce<State>(fold, emptyState)
  const components = Object.entries(before.component)
  const start = factsOfStart('m', { ...self, pid: 8 }, before.host.m, components)
  expect(start.map(({ type, subject }) => [type, subject])).toEqual([
    ['host.lost', 'host:m'],
    ['component.lost', 'component:agents/a'],
    ['host.started', 'host:m'],
  ])
  const stopped: HostRecord = { ...self, state: 'stopped', since: '2026-01-01T00:00:00.000Z' }
  expect(factsOfStart('m', self, stopped, []).map(({ type }) => type)).toEqual(['host.started'])
  expect(factsOfStart('m', self, undefined, []).map(({ type }) => type)).toEqual(['host.started'])
})
