import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { HookEvent } from '../../driver/schema.ts'
import { hear, launched } from '../../session/rules.ts'
import type { Session, Signal } from '../../session/schema.ts'
import { type Message, messageId } from '../schema.ts'
import { nudgeAt, nudges, reminds } from './rules.ts'

const id = '00000000-0000-4000-8000-000000000001'
const born = launched({ id, agent: 'coder', managed: true, reviewer: false, at: 0, reportMs: 30_000 })
const idle: Session = { ...born, started: true, since: 1000 }
const heartbeat = { idle_timeout: '10m', message: 'Go on.', condition: 'test -e todo' }
const none = new Set<string>()
const due = 601_000

test.each<[string, Session, number, boolean]>([
  ['too early', idle, due - 1, false],
  ['due', idle, due, true],
  ['busy', { ...idle, turn: { since: 0, answered: true } }, due, false],
  ['blocked', { ...idle, waiting: [{ tool: 'Bash', by: 'person' }] }, due, false],
  ['background work', { ...idle, background: [{ id: 'a', kind: 'x', description: '' }] }, due, false],
  ['starting', born, due, false],
  ['over', { ...idle, over: { how: 'lost' } }, due, false],
])('%s', (_, session, at, expected) => {
  expect(nudges(session, heartbeat, at, none) !== undefined).toBe(expected)
})

test('it says what to do and under which condition, and not a second time', () => {
  const nudge = nudges(idle, heartbeat, due, none)
  expect(nudge).toEqual({ id: `nudge-${id}-1000`, text: 'Go on.', condition: 'test -e todo' })
  expect(messageId.safeParse(nudge?.id).success).toBe(true)
  expect(nudges(idle, heartbeat, due, new Set([nudge?.id ?? '']))).toBeUndefined()
  expect([nudges(idle, undefined, due, none), nudgeAt(idle, undefined, none)]).toEqual([undefined, undefined])
  expect(nudgeAt(idle, heartbeat, none)).toBe(due)
  expect(nudgeAt(idle, heartbeat, new Set([nudge?.id ?? '']))).toBeUndefined()
})

const hook = (event: object): Signal => ({
  from: 'hook',
  event: { session: id, cwd: '/', transcript: '/t', ...event } as HookEvent,
})

test('however time passes, an idle period has at most one nudge', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 400_000 })), { maxLength: 40 }),
      (steps) => {
        const known = new Set<string>()
        let session = hear(born, hook({ kind: 'session_started', source: 'startup' }), 1)
        let [at, periods] = [1, 1]
        for (const [works, ms] of steps) {
          at += ms
          const nudge = nudges(session, heartbeat, at, known)
          if (nudge) known.add(nudge.id)
          if (!works) continue
          const turn = `turn-${at}`
          session = hear(session, hook({ kind: 'prompted', text: '', origin: 'person', reads: [], turn }), at)
          session = hear(
            session,
            hook({ kind: 'turn_ended', again: false, last: '', background: [], turn }),
            at + 1,
          )
          at += 1
          periods += 1
        }
        expect(known.size).toBeLessThanOrEqual(periods)
      },
    ),
  )
})

const asked: Message = {
  id: 'm1',
  from: { kind: 'agent', name: 'lead' },
  to: 'coder',
  text: 'x',
  lane: 'normal',
  at: 0,
  life: 'ended',
  expects: { reminded: 0 },
}

test.each<[string, Partial<Message>, Session, number, boolean]>([
  ['due', {}, idle, 61_000, true],
  ['too early', {}, idle, 60_999, false],
  ['not read yet', { life: 'queued' }, idle, 61_000, false],
  ['in its turn', { life: 'started' }, idle, 61_000, false],
  ['responded to', { expects: { reminded: 0, closedBy: 'r' } }, idle, 61_000, false],
  ['reminded in this idle period', { expects: { reminded: 1, remindedAt: 1000 } }, idle, 200_000, false],
  ['reminded in an older one', { expects: { reminded: 1, remindedAt: 999 } }, idle, 61_000, true],
  ['reminded too often', { expects: { reminded: 10, remindedAt: 1 } }, idle, 61_000, false],
  ['the agent works', {}, { ...idle, turn: { since: 0, answered: true } }, 61_000, false],
])('a response: %s', (_, more, session, at, expected) => {
  const found = reminds({ ...asked, ...more }, session, at)
  expect(found !== undefined).toBe(expected)
  if (found) expect(found.text).toContain('agency send lead --closes m1')
})
