import fc from 'fast-check'
import { expect, test } from 'vitest'
import { launched, stateOf } from '../../session/rules.ts'
import type { Session } from '../../session/schema.ts'
import { lanes, lives, type Message } from '../schema.ts'
import { inOrder, mayPress, next, pressAt } from './rules.ts'

const born = launched({ id: 's', agent: 'coder', managed: true, reviewer: false, at: 0, reportMs: 30_000 })
const idle: Session = { ...born, started: true }
const turn = { id: 'A', since: 0, answered: true }
const busy: Session = { ...idle, turn }
const asking: Session = { ...busy, waiting: [{ tool: 'Bash', by: 'person' }] }

const message = (id: string, more: Partial<Message> = {}): Message => ({
  id,
  from: { kind: 'person', name: 'ann' },
  to: 'coder',
  text: 'hello',
  lane: 'normal',
  at: 0,
  life: 'queued',
  ...more,
})
const normal = message('n')
const urgent = message('i', { lane: 'interrupt' })
const lazy = message('l', { lane: 'idle' })
const work = { id: 'a', kind: 'subagent', description: '' }

const table: readonly (readonly [string, Session, readonly Message[], string])[] = [
  ['nothing to send', idle, [], 'nothing'],
  ['to an idle agent', idle, [normal], 'send n'],
  ['behind a running turn', busy, [normal], 'send n'],
  ['behind a review', { ...idle, turn: { ...turn, review: true } }, [normal], 'send n'],
  ['while it starts', born, [normal], 'wait: the agent is starting'],
  ['while blocked', asking, [normal, urgent], 'wait: the agent waits for a permission'],
  [
    'while a reviewer looks',
    { ...busy, waiting: [{ tool: 'Bash', by: 'reviewer' }] },
    [urgent],
    'wait: the agent waits for a permission',
  ],
  [
    'while a subagent is blocked',
    { ...idle, waiting: [{ tool: 'Bash', by: 'person', subagent: 'a' }] },
    [normal],
    'wait: the agent waits for a permission',
  ],
  [
    'while the model asks',
    { ...busy, calls: [{ id: '1', tool: 'AskUserQuestion' }] },
    [normal],
    'wait: the agent waits for a permission',
  ],
  [
    'when idle, though one is queued that begins at once',
    idle,
    [lazy, message('q', { life: 'accepted', session: 's' })],
    'wait: the agent has another message to read first',
  ],
  [
    'behind a turn that one is queued behind already',
    busy,
    [normal, message('q', { life: 'accepted', session: 's' })],
    'wait: the agent has another message to read first',
  ],
  [
    'between two turns, where it would overtake what is queued',
    { ...idle, since: 99_900 },
    [normal, message('q', { life: 'accepted', session: 's' })],
    'wait: the agent has another message to read first until 104900',
  ],
  [
    'idle for long with one in its queue: that was given back',
    { ...idle, since: 95_000 },
    [normal, message('q', { life: 'accepted', session: 's' })],
    'send n',
  ],
  [
    'an interrupt does not wait for what is queued',
    busy,
    [urgent, message('q', { life: 'accepted', session: 's' })],
    'escape i',
  ],
  [
    'when idle, though only just',
    { ...idle, since: 99_900 },
    [lazy],
    'wait: the agent has only just become idle until 100400',
  ],
  [
    'an interrupt of a turn whose prompt is not written down yet',
    { ...idle, turn: { ...turn, since: 99_000, answered: false } },
    [urgent],
    'wait: a turn has just begun until 101000',
  ],
  ['while it compacts', { ...busy, compacting: true }, [urgent], 'wait: the agent compacts its conversation'],
  ['while it drains', { ...idle, draining: true }, [normal], 'wait: the agent is draining'],
  ['after its end', { ...idle, over: { how: 'lost' } }, [normal], 'wait: the agent is lost'],
  ['unsupervised', { ...idle, unsupervised: 'x' }, [normal], 'wait: the agent is unsupervised'],
  [
    'limited',
    { ...idle, limit: { what: 'quota', since: 0, until: 161_000, sure: true } },
    [normal],
    'wait: the agent is limited for 1m: quota until 161000',
  ],
  ['a person types', { ...idle, typed: 95_000 }, [normal], 'wait: a person is typing until 105000'],
  ['a person typed a while ago', { ...idle, typed: 90_000 }, [normal], 'send n after clearing'],
  [
    'a person left text while it works',
    { ...busy, typed: 90_000 },
    [normal],
    'wait: the text of a person lies in the input line',
  ],
  [
    'a call may open a dialog',
    { ...busy, calls: [{ id: '1', tool: 'Bash' }], heard: 99_500 },
    [normal],
    'wait: a call has just begun until 100500',
  ],
  ['a call that runs', { ...busy, calls: [{ id: '1', tool: 'Bash' }], heard: 99_000 }, [normal], 'send n'],
  [
    'a call that a person granted',
    { ...busy, calls: [{ id: '1', tool: 'Bash', permitted: true }], heard: 99_999 },
    [normal],
    'send n',
  ],
  [
    'a subagent in the background may open a dialog',
    { ...idle, background: [work], heard: 99_500 },
    [normal],
    'wait: a call has just begun until 100500',
  ],
  [
    'the turn may be ending',
    { ...busy, doubt: 101_000 },
    [normal],
    'wait: the turn may be ending until 101000',
  ],
  [
    'an earlier one is unconfirmed',
    idle,
    [normal, message('s', { life: 'sent', session: 's', sentAt: 99_000 })],
    'wait: an earlier message is not confirmed yet until 159000',
  ],
  [
    'one was typed into an older session',
    idle,
    [normal, message('s', { life: 'sent', session: 'old', sentAt: 99_000 })],
    'send n',
  ],
  ['an interrupt to an idle agent', idle, [urgent], 'send i'],
  ['an interrupt to a busy one', busy, [urgent], 'escape i'],
  [
    'an interrupt that waits for the turn to end',
    busy,
    [{ ...urgent, escapedAt: 90_000 }, normal],
    'wait: the turn is being interrupted until 105000',
  ],
  ['an interrupt whose turn does not end', busy, [{ ...urgent, escapedAt: 80_000 }], 'send i'],
  ['idle lanes while it works', busy, [lazy], 'wait: the agent is not idle'],
  ['idle lanes with background work', { ...idle, background: [work] }, [lazy], 'wait: the agent is not idle'],
  ['idle lanes when idle', idle, [lazy], 'send l'],
  ['a draft in the way', { ...idle, draft: true }, [normal], 'send n after clearing'],
  [
    'an error',
    { ...idle, trouble: { what: 'no login', next: '', since: 50 } },
    [normal],
    'wait: the agent is in error: no login',
  ],
  [
    'an error and a newer word',
    { ...idle, trouble: { what: 'no login', next: '', since: 50 } },
    [normal, { ...urgent, id: 'w', at: 60 }],
    'send w',
  ],
  [
    'an error and a newer task',
    { ...idle, trouble: { what: 'no login', next: '', since: 50 } },
    [message('t', { at: 60, from: { kind: 'agency', name: 'agency' } })],
    'send t',
  ],
  [
    'an error and a newer nudge',
    { ...idle, trouble: { what: 'no login', next: '', since: 50 } },
    [message('t', { at: 60, lane: 'idle', from: { kind: 'agency', name: 'agency' } })],
    'wait: the agent is in error: no login',
  ],
  [
    'an error and a newer message of an agent',
    { ...idle, trouble: { what: 'no login', next: '', since: 50 } },
    [message('b', { at: 60, from: { kind: 'agent', name: 'x' } })],
    'wait: the agent is in error: no login',
  ],
  [
    'a program that prints',
    { ...born, managed: false, output: 99_000 },
    [normal],
    'wait: the program is printing until 101000',
  ],
  ['a program that is quiet', { ...born, managed: false, output: 98_000 }, [lazy], 'send l'],
]

test.each(table)('%s', (_, session, messages, expected) => {
  const found = next(messages, session, 100_000)
  const until = found.kind === 'wait' && found.until !== undefined ? ` until ${found.until}` : ''
  const words =
    found.kind === 'nothing'
      ? 'nothing'
      : found.kind === 'wait'
        ? `wait: ${found.why}${until}`
        : `${found.kind} ${found.message.id}${found.kind === 'send' && found.clear ? ' after clearing' : ''}`
  expect(words).toBe(expected)
})

test('lanes in their order; oldest first, but idle-first newest first', () => {
  const of = (lane: Message['lane'], ...ats: number[]) =>
    ats.map((at) => message(`${lane}${at}`, { lane, at }))
  const all = [...of('idle', 1, 2), ...of('idle-first', 1, 2), ...of('normal', 2, 1), ...of('interrupt', 3)]
  expect(inOrder(all).map(({ id }) => id)).toEqual([
    'interrupt3',
    'normal1',
    'normal2',
    'idle-first2',
    'idle-first1',
    'idle1',
    'idle2',
  ])
})

const anySession = fc
  .record({
    started: fc.constantFrom(true, true, true, false),
    draining: fc.constantFrom(true, false, false),
    compacting: fc.constantFrom(true, false, false),
    turn: fc.option(fc.record({ since: fc.constant(0), answered: fc.boolean() }), {
      nil: undefined,
      freq: 1,
    }),
    calls: fc.array(fc.record({ id: fc.string(), tool: fc.constantFrom('Bash', 'AskUserQuestion') }), {
      maxLength: 2,
    }),
    waiting: fc.array(
      fc.record({ tool: fc.constant('Bash'), by: fc.constantFrom('person' as const, 'reviewer' as const) }),
      { maxLength: 1 },
    ),
    unsupervised: fc.option(fc.constant('x'), { nil: undefined, freq: 1 }),
    over: fc.option(fc.constant({ how: 'lost' as const }), { nil: undefined, freq: 1 }),
  })
  .map(
    ({ turn, unsupervised, over, ...rest }): Session => ({
      ...born,
      ...rest,
      ...(turn && { turn }),
      ...(unsupervised && { unsupervised }),
      ...(over && { over }),
    }),
  )

const anyMessages = fc.array(
  fc.record({
    lane: fc.constantFrom(...lanes),
    life: fc.constantFrom(...lives),
    at: fc.nat(5),
    escapedAt: fc.constantFrom(undefined, 0, 99_999),
  }),
  { maxLength: 6 },
)

test('nothing is typed into a dialog, a beginning or an end; and only what is queued, from the first lane', () => {
  fc.assert(
    fc.property(anySession, anyMessages, (session, rows) => {
      const messages = rows.map(({ escapedAt, ...row }, place) =>
        message(`m${place}`, {
          ...row,
          session: 's',
          sentAt: 0,
          ...(escapedAt === undefined ? {} : { escapedAt }),
        }),
      )
      const found = next(messages, session, 100_000)
      if (found.kind !== 'send' && found.kind !== 'escape') return
      expect(['idle', 'working']).toContain(stateOf(session).name)
      expect([session.waiting.length, session.compacting, session.draining]).toEqual([0, false, false])
      expect(found.message).toBe(inOrder(messages)[0])
      expect(found.message.life).toBe('queued')
      expect(messages.some(({ life }) => life === 'sent')).toBe(false)
      if (found.kind === 'escape') expect(found.message.escapedAt).toBeUndefined()
      if (found.message.lane.startsWith('idle')) expect(stateOf(session).name).toBe('idle')
    }),
    { numRuns: 2000 },
  )
})

test('Enter is pressed again for what nothing confirms, later each time, and never into a dialog', () => {
  const sent = message('s', { life: 'sent', session: 's', sentAt: 1000 })
  expect([0, 1, 2, 3, 4].map((times) => pressAt(sent, times))).toEqual([
    3000,
    6000,
    16_000,
    41_000,
    undefined,
  ])
  expect(pressAt({ ...sent, life: 'accepted' }, 0)).toBeUndefined()
  const no = [
    asking,
    born,
    { ...idle, typed: 99_000 },
    { ...busy, calls: [{ id: '1', tool: 'x' }], heard: 1e5 },
  ]
  expect([idle, busy, ...no, { ...idle, managed: false }].map((one) => mayPress(one, 100_000))).toEqual([
    true,
    true,
    ...no.map(() => false),
    false,
  ])
})
