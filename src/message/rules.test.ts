import { expect, test } from 'vitest'
import { lines, values } from '../../test/samples/read.ts'
import { claude } from '../driver/claude/driver.ts'
import type { HookEvent, TranscriptEvent } from '../driver/schema.ts'
import type { Event } from '../journal/schema.ts'
import { hear as hearSession, launched } from '../session/rules.ts'
import type { Session, Signal } from '../session/schema.ts'
import {
  changeFact,
  confirmMs,
  follow,
  hear,
  isSettled,
  queueFact,
  reduceMessage,
  responds,
} from './rules.ts'
import { type Life, type Message, type MessageSignal, messageEvents, message as schema } from './schema.ts'

const born = launched({ id: 's', agent: 'coder', managed: true, reviewer: false, at: 0, reportMs: 30_000 })
const session: Session = { ...born, started: true }
const busy: Session = { ...session, turn: { id: 'A', since: 0, answered: true }, told: 'A' }

const text: Message = {
  id: 'm1',
  from: { kind: 'person', name: 'ann' },
  to: 'coder',
  text: 'hello',
  lane: 'normal',
  at: 0,
  life: 'queued',
}
const header = { id: 'm1', sender: 'ann' }
const hook = (event: object): Signal => ({
  from: 'hook',
  event: { session: 's', cwd: '/', transcript: '/t', ...event } as HookEvent,
})
const line = (event: TranscriptEvent): Signal => ({ from: 'transcript', event })
const prompted = (turn: string, id = 'm1') =>
  hook({ kind: 'prompted', text: '', origin: 'message', reads: [], header: { id, sender: 'x' }, turn })
const stop = (turn: string) => hook({ kind: 'turn_ended', again: false, last: '', background: [], turn })
const sending: MessageSignal = { from: 'sending', session: 's' }
const sent: Message = { ...text, life: 'sent', session: 's', sentAt: 0 }
const accepted: Message = { ...sent, life: 'accepted' }
const started: Message = { ...sent, life: 'started', turn: 'A' }

type Row = readonly [string, Message, Session, Signal | MessageSignal, Partial<Message> & { life: Life }]
const table: readonly Row[] = [
  ['is sent', text, session, sending, { life: 'sent', session: 's', sentAt: 5 }],
  ['is not sent again', accepted, session, sending, accepted],
  ['begins a turn of its own', sent, session, prompted('A'), { life: 'started', turn: 'A' }],
  ['is queued behind the running turn', sent, busy, prompted('A'), { life: 'accepted' }],
  ['hears nothing of others', sent, session, prompted('A', 'm2'), sent],
  ['is seen although it was thought unsent', text, session, prompted('A'), { life: 'started', turn: 'A' }],
  [
    'is queued as the transcript says',
    sent,
    busy,
    line({ kind: 'queued', text: '', header }),
    { life: 'accepted' },
  ],
  [
    'goes into the running turn',
    accepted,
    busy,
    line({ kind: 'unqueued', entered: true, text: '', header }),
    { life: 'started', turn: 'A' },
  ],
  [
    'goes into a turn that has ended by now',
    accepted,
    { ...session, told: 'A', ended: ['A'] },
    line({ kind: 'unqueued', entered: true, text: '', header }),
    { life: 'ended', turn: 'A' },
  ],
  [
    'leaves the queue for we know not where',
    accepted,
    busy,
    line({ kind: 'unqueued', entered: false, text: '', header }),
    accepted,
  ],
  [
    'begins the next turn',
    accepted,
    session,
    line({ kind: 'prompted', text: '', origin: 'message', header, turn: 'B' }),
    { life: 'started', turn: 'B' },
  ],
  [
    'begins a turn whose end was heard before',
    accepted,
    { ...session, ended: ['B'] },
    line({ kind: 'prompted', text: '', origin: 'message', header, turn: 'B' }),
    { life: 'ended', turn: 'B' },
  ],
  [
    'is queued behind a turn that is over by now',
    sent,
    { ...session, ended: ['A'] },
    prompted('A'),
    { life: 'accepted' },
  ],
  [
    'is queued behind a turn that this host does not know by its id',
    sent,
    { ...busy, turn: { since: 0, answered: true } },
    prompted('A'),
    { life: 'accepted' },
  ],
  [
    'is in one turn with what was queued behind it',
    { ...started, turn: 'B' },
    { ...session, told: 'B', fresh: true },
    line({ kind: 'prompted', text: '', origin: 'message', turn: 'C', waited: true }),
    { life: 'started', turn: 'C' },
  ],
  [
    'has ended with what was queued behind it',
    { ...started, turn: 'B' },
    { ...session, told: 'B', fresh: true, ended: ['C'] },
    line({ kind: 'prompted', text: '', origin: 'message', turn: 'C', waited: true }),
    { life: 'ended', turn: 'C' },
  ],
  [
    'is not interrupted by the line of the turn before it',
    { ...started, turn: 'B' },
    { ...session, told: 'B', fresh: true },
    line({ kind: 'interrupted' }),
    { life: 'started', turn: 'B' },
  ],
  [
    'goes into the turn that the transcript tells of, though the hooks tell of the next',
    accepted,
    { ...session, turn: { id: 'B', since: 0, answered: true }, told: 'A', ended: ['A'] },
    line({ kind: 'unqueued', entered: true, text: '', header }),
    { life: 'ended', turn: 'A' },
  ],
  ['ends with its turn', started, busy, stop('A'), { life: 'ended', end: 'answered' }],
  ['does not end with another', started, busy, stop('B'), started],
  [
    'does not end with a subagent',
    started,
    busy,
    hook({
      kind: 'turn_ended',
      again: false,
      last: '',
      background: [],
      turn: 'A',
      subagent: { id: 'a', type: 'x' },
    }),
    started,
  ],
  [
    'does not begin again',
    { ...started, life: 'ended' },
    session,
    prompted('A'),
    { ...started, life: 'ended' },
  ],
  [
    'ends when its turn fails',
    started,
    busy,
    hook({ kind: 'turn_failed', error: 'x', last: '', turn: 'A' }),
    { life: 'ended', end: 'failed', reason: 'the turn failed' },
  ],
  [
    'ends when no turn runs any more',
    started,
    session,
    { from: 'adrift' },
    { life: 'ended', end: 'interrupted', reason: 'the turn was interrupted' },
  ],
  ['is adrift only in a turn', sent, session, { from: 'adrift' }, sent],
  [
    'ends when its turn is interrupted',
    started,
    busy,
    line({ kind: 'interrupted' }),
    { life: 'ended', reason: 'the turn was interrupted' },
  ],
  [
    'is in the turn of the prompt that was queued behind it',
    started,
    { ...busy, told: 'A', fresh: true },
    line({ kind: 'prompted', text: '', origin: 'person', turn: 'B', waited: true }),
    { life: 'started', turn: 'B' },
  ],
  [
    'has ended with the turn of the prompt that was queued behind it',
    started,
    { ...session, told: 'A', fresh: true, ended: ['B'] },
    line({ kind: 'prompted', text: '', origin: 'person', turn: 'B', waited: true }),
    { life: 'ended', turn: 'B' },
  ],
  [
    'is in a turn of its own once that was answered',
    started,
    { ...busy, told: 'A' },
    line({ kind: 'prompted', text: '', origin: 'person', turn: 'B', waited: true }),
    started,
  ],
  [
    'does not end when an older turn was interrupted',
    started,
    { ...busy, told: 'older' },
    line({ kind: 'interrupted' }),
    started,
  ],
  ['is free again when the keeper did not type it', sent, session, { from: 'untyped' }, { life: 'queued' }],
  ['is not free when it was accepted', accepted, session, { from: 'untyped' }, accepted],
  [
    'is refused by a hook of ours',
    sent,
    session,
    { from: 'refused', reason: 'no' },
    { life: 'failed', reason: 'no' },
  ],
  ['cannot be refused when it is in a turn', started, session, { from: 'refused', reason: 'no' }, started],
  [
    'is withdrawn',
    text,
    session,
    { from: 'withdrawn', reason: 'by ann' },
    { life: 'withdrawn', reason: 'by ann' },
  ],
  ['cannot be withdrawn once typed', sent, session, { from: 'withdrawn', reason: 'by ann' }, sent],
  [
    'waits for the next session if it never began',
    accepted,
    session,
    { from: 'over', complete: true },
    { life: 'queued' },
  ],
  [
    'may have arrived if the transcript is not whole',
    sent,
    session,
    { from: 'over', complete: false },
    { life: 'failed', unsure: true },
  ],
  [
    'is queued again if its session was killed before the prompt was written down',
    started,
    session,
    { from: 'over', complete: true },
    { life: 'queued' },
  ],
  [
    'ends with its session',
    { ...started, seen: true },
    session,
    { from: 'over', complete: true },
    { life: 'ended', end: 'over', reason: 'the session ended' },
  ],
  [
    'is untouched by the end of a session it is not in',
    text,
    session,
    { from: 'over', complete: false },
    text,
  ],
  [
    'counts as arrived when it is seen after all',
    { ...sent, life: 'failed', unsure: true, reason: 'x' },
    session,
    prompted('A'),
    { life: 'started', turn: 'A' },
  ],
]

test.each(table)('it %s', (_, before, known, signal, expected) => {
  const after = hear(before, signal, known, 5)
  expect(after).toMatchObject(expected)
  expect(schema.parse(after)).toEqual(after)
  if (after.life === 'queued') expect([after.session, after.sentAt]).toEqual([undefined, undefined])
  if (!('reason' in expected) && !expected.unsure) expect(after.reason).toBeUndefined()
})

test('what the session finds out by waiting', () => {
  const interrupted = { life: 'ended', reason: 'the turn was interrupted' }
  expect(
    follow(started, { ...busy, ended: ['A'], turn: { id: 'B', since: 0, answered: true } }),
  ).toMatchObject(interrupted)
  // A host that has just come does not know the turn, but that none goes on.
  expect(follow(started, session)).toMatchObject(interrupted)
  expect(follow(started, busy)).toBe(started)
  expect(follow(started, { ...session, ending: true })).toBe(started)
  expect(follow(accepted, { ...session, ended: ['A'] })).toBe(accepted)
})

test('silence is a failure only after a while, and then not a certain one', () => {
  expect(hear(sent, { from: 'silence' }, session, confirmMs - 1)).toBe(sent)
  const failed = hear(sent, { from: 'silence' }, session, confirmMs)
  expect([failed.life, failed.unsure, isSettled(failed)]).toEqual(['failed', true, false])
  expect(hear(accepted, { from: 'silence' }, session, confirmMs)).toBe(accepted)
})

test('where no turn goes on, none of its messages is in one', () => {
  expect(follow(started, session)).toMatchObject({ life: 'ended' })
  expect(follow(started, { ...session, ending: true })).toBe(started)
  expect(follow({ ...started, session: 'other' }, session).life).toBe('started')
})

test('a response closes only from whom it was asked, and once', () => {
  const asked: Message = { ...text, from: { kind: 'agent', name: 'lead' }, expects: { reminded: 0 } }
  const reply: Message = {
    ...text,
    id: 'r',
    from: { kind: 'agent', name: 'coder' },
    to: 'lead',
    closes: 'm1',
  }
  expect(responds(reply, asked)).toBe(true)
  expect(responds({ ...reply, from: { kind: 'agent', name: 'other' } }, asked)).toBe(false)
  expect(responds({ ...reply, to: 'other' }, asked)).toBe(false)
  expect(responds(reply, text)).toBe(false)
  const closed = hear(asked, { from: 'response', message: 'r' }, session, 1)
  expect(closed.expects?.closedBy).toBe('r')
  expect(hear(closed, { from: 'response', message: 'r2' }, session, 1)).toBe(closed)
})

test('the journal folds to the message', () => {
  let now: Message = { ...text, expects: { reminded: 0 } }
  const facts = [queueFact(now)]
  for (const signal of [
    sending,
    { from: 'untyped' },
    sending,
    prompted('A'),
    { from: 'reminded' },
    stop('A'),
  ] as const) {
    const after = hear(now, signal, session, 7)
    const change = changeFact(now, after)
    if (change) facts.push(change)
    now = after
  }
  const events: Event[] = facts.map((one, seq) => ({ ...one, seq: seq + 1, at: '2026-01-01T00:00:00.000Z' }))
  expect(events.reduce<Message | undefined>(reduceMessage, undefined)).toEqual(now)
  expect(facts.length).toBe(7)
  for (const { type, data } of facts)
    expect(messageEvents[type as keyof typeof messageEvents].safeParse(data).success).toBe(true)
})

test('recorded: each message of a terminal session, and how it ended', () => {
  const driver = claude('2.1.325')
  const hooks = values('hook/terminal.jsonl').flatMap((body): readonly Signal[] => {
    const read = driver.readHook(body)
    return read.ok ? [{ from: 'hook', event: read.event }] : []
  })
  const told = lines('transcript/terminal.jsonl').flatMap((one) =>
    driver.readTranscript(one).map((event): Signal => ({ from: 'transcript', event })),
  )
  const ends = (signals: readonly Signal[]): readonly (readonly unknown[])[] => {
    let known = born
    let messages = ['m1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7', 'm8'].map((id): Message => ({ ...sent, id }))
    for (const [at, signal] of signals.entries()) {
      messages = messages.map((one) => hear(one, signal, known, at))
      known = hearSession(known, signal, at)
    }
    return messages.map(({ id, life, reason }) => [id, life, reason])
  }
  const ended = (...ids: string[]) => ids.map((id) => [id, 'ended', undefined])
  const interrupted = ['m6', 'ended', 'the turn was interrupted']
  const all = [...ended('m1', 'm2', 'm3', 'm4', 'm5'), interrupted, ...ended('m7', 'm8')]
  // The transcript may be read as late as after the last hook.
  expect(ends([...hooks, ...told])).toEqual(all)
})

test('a turn whose end is held, or refused, is not over', () => {
  const { event } = stop('A') as Extract<Signal, { from: 'hook' }>
  const held: Signal = { from: 'hook', event, held: true }
  const answer = (refused: boolean): Signal => ({ from: 'answer', event, refused })
  expect(hear(started, held, busy, 5)).toBe(started)
  expect(hear(started, answer(true), busy, 5)).toBe(started)
  expect(hear(started, answer(false), busy, 5)).toMatchObject({ life: 'ended', end: 'answered' })
})
