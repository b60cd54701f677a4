import { expect, test } from 'vitest'
import type { HookEvent } from '../driver/schema.ts'
import type { Message } from '../message/schema.ts'
import { launched } from '../session/rules.ts'
import type { Session } from '../session/schema.ts'
import { isRepeated, isTranscript, spokenIn } from './rules.ts'

const born = launched({ id: 's', agent: 'coder', managed: true, reviewer: false, at: 0, reportMs: 30_000 })
const turn = { id: 'A', since: 0, answered: false }
const found: Session = { ...born, started: true, turn }
const message = (life: Message['life'], its?: string): Message => ({
  id: 'm',
  from: { kind: 'agency', name: 'agency' },
  to: 'coder',
  text: 'x',
  lane: 'normal',
  at: 0,
  life,
  ...(its !== undefined && { turn: its }),
})
const where = { session: 's', cwd: '/', transcript: '/t' }
const header = { id: 'm', sender: 'agency' }
const typed = (more: object): HookEvent =>
  ({ ...where, kind: 'prompted', text: 'x', origin: 'person', reads: [], turn: 'A', ...more }) as HookEvent
const sent = typed({ origin: 'message', header })
const stop = { ...where, kind: 'turn_ended', turn: 'A', last: '', again: false, background: [] } as HookEvent

const table: readonly (readonly [string, boolean, HookEvent, Session, readonly Message[]])[] = [
  ['a message that is in this turn', true, sent, found, [message('started', 'A')]],
  ['it still is when its turn has been seen', true, sent, { ...found, told: 'A' }, [message('started', 'A')]],
  ['a message that is queued behind this turn', false, sent, found, [message('sent')]],
  ['a message of which nothing is known', false, sent, found, []],
  ['a message in another turn', false, sent, found, [message('started', 'B')]],
  ['its turn is not open', false, sent, { ...found, turn: { ...turn, id: 'B' } }, [message('started', 'A')]],
  ['no turn is open', false, sent, born, [message('started', 'A')]],
  ['a person, of whose turn nobody has told', true, typed({}), found, []],
  ['a person, behind a turn that has begun', false, typed({}), { ...found, told: 'A' }, []],
  ['a person, behind a turn that goes on', false, typed({}), { ...found, turn: { ...turn } }, []],
  ['a person, in another turn', false, typed({ turn: 'B' }), found, []],
  ['not a prompt', false, stop, found, [message('started', 'A')]],
]

test.each(table)('%s: told again is %s', (_, expected, event, session, messages) => {
  expect(isRepeated(event, session, messages, turn)).toBe(expected)
})

test.each([
  ['/c/projects/-w/2.jsonl', true],
  ['/c/projects/-other/2.jsonl', true],
  ['/c/projects/-w/2.jsonl/', false],
  ['/c/projects/-w/2/subagents/agent-1.jsonl', false],
  ['/c/projects/../2.jsonl', false],
  ['/c/projects/-w/../../x.jsonl', false],
  ['/c/projects/2.jsonl', false],
  ['/c/projects//2.jsonl', false],
  ['/c/other/-w/2.jsonl', false],
  ['/etc/passwd', false],
  ['c/projects/-w/2.jsonl', false],
  ['', false],
])('a hook that names %j as the transcript is believed: %s', (path, expected) => {
  expect(isTranscript(path, '/c/projects/-w/1.jsonl')).toBe(expected)
})

const from = (kind: Message['from']['kind'], id = 'm'): Message => ({
  ...message('sent'),
  id,
  from: { kind, name: 'x' },
  text: 'what was sent',
})
const said = (more: object) => ({ text: '[header] anything', origin: 'message', ...more }) as const
test.each<[string, Parameters<typeof spokenIn>[0], readonly Message[], boolean, string, true?]>([
  ['typed', { text: 'x', origin: 'person' }, [], true, 'x'],
  ['a notification', { text: 'x', origin: 'notification' }, [], false, 'x'],
  ['sent by a person', said({ header }), [from('person')], true, 'what was sent'],
  ['sent through a bridge', said({ header }), [from('bridge')], true, 'what was sent'],
  ['sent by an agent', said({ header }), [from('agent')], false, 'what was sent', true],
  ['a heartbeat', said({ header }), [from('agency')], false, 'what was sent', true],
  [
    'a task',
    said({ header: { ...header, id: 'task-1' } }),
    [from('agency', 'task-1')],
    true,
    'what was sent',
  ],
  ['a header that nobody sent', said({ header }), [from('person', 'other')], false, '[header] anything'],
])('whether a person asks: %s', (_, event, messages, person, text, work) => {
  expect(spokenIn(event, messages)).toEqual({ text, person, ...(work && { work }) })
})
