import { expect, test } from 'vitest'
import type { Event, Fact } from '../journal/schema.ts'
import { hostFact, machineOf, reduceHost } from './rules.ts'
import type { HostRecord } from './schema.ts'

const event = (fact: Fact, at = '2026-01-02T00:00:00.000Z'): Event => ({ ...fact, seq: 9, at })
const at = '2026-01-02T00:00:00.000Z'
const was: HostRecord = {
  state: 'idle',
  pid: 7,
  started: 's',
  version: 'v',
  since: '2026-01-01T00:00:00.000Z',
}
const last = { pid: 7, how: 'lost', at } as const
const next = { pid: 8, started: 't', version: 'w' }

const cases: readonly (readonly [string, HostRecord | undefined, Fact, HostRecord | undefined])[] = [
  ['the first start', undefined, hostFact('m', 'started', next), { ...next, state: 'starting', since: at }],
  [
    'a start after a loss',
    { ...was, state: 'lost', last },
    hostFact('m', 'started', next),
    { ...next, state: 'starting', since: at, last },
  ],
  ['idle', { ...was, state: 'starting' }, hostFact('m', 'idle'), { ...was, since: at }],
  ['draining', was, hostFact('m', 'draining', { reason: 'r' }), { ...was, state: 'draining', since: at }],
  [
    'stopped',
    was,
    hostFact('m', 'stopped'),
    { ...was, state: 'stopped', since: at, last: { ...last, how: 'stopped' } },
  ],
  ['lost', was, hostFact('m', 'lost'), { ...was, state: 'lost', since: at, last }],
  ['paused', was, hostFact('m', 'paused', { paused: true }), { ...was, paused: at }],
  [
    'paused again: since the first time',
    { ...was, paused: was.since },
    hostFact('m', 'paused', { paused: true }),
    { ...was, paused: was.since },
  ],
  ['begun again', { ...was, paused: at }, hostFact('m', 'paused', { paused: false }), was],
  [
    'paused under the next host too',
    { ...was, state: 'lost', paused: at },
    hostFact('m', 'started', next),
    { ...next, state: 'starting', since: at, paused: at },
  ],
  ['something newer', was, hostFact('m', 'promoted'), was],
  ['an end without a beginning', undefined, hostFact('m', 'stopped'), undefined],
]
test.each(cases)('%s', (_, before, fact, after) => expect(reduceHost(before, event(fact))).toEqual(after))

test.each([
  ['box', 'box'],
  ['My Mac.local', 'My-Mac.local'],
  ['', 'local'],
])('the machine %j is called %s', (name, expected) => expect(machineOf(name)).toBe(expected))
