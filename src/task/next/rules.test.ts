import { expect, test } from 'vitest'
import type { Message } from '../../message/schema.ts'
import { launched } from '../../session/rules.ts'
import type { Session } from '../../session/schema.ts'
import type { Task } from '../schema.ts'
import { next, timesOf } from './rules.ts'

const born = launched({ id: 's', agent: 'coder', managed: true, reviewer: false, at: 0, reportMs: 30_000 })
const idle: Session = { ...born, started: true }
const busy: Session = { ...idle, turn: { id: 'A', since: 0, answered: true } }
const over: Session = { ...idle, over: { how: 'lost' } }
const asking: Session = { ...busy, waiting: [{ tool: 'Bash', by: 'person' }] }

const queued: Task = {
  id: 'task-1',
  agent: 'coder',
  session: 's',
  preview: 'x',
  digest: 'd',
  at: 0,
  state: 'queued',
}
const working: Task = { ...queued, state: 'working', startedAt: 50_000 }
const cancelling: Task = { ...working, state: 'cancelling', wish: { why: 'cancel', at: 90_000 } }
const pressed = (at: number): Task => ({ ...cancelling, pressed: { times: 1, at } })
const message = (life: Message['life']): Message => ({
  id: 'task-1',
  from: { kind: 'agency', name: 'agency' },
  to: 'coder',
  text: 'x',
  lane: 'normal',
  at: 0,
  life,
})
const [waiting, sent, started] = [message('queued'), message('sent'), message('started')]

const table: readonly (readonly [string, Task, Message | undefined, Session, string])[] = [
  ['it waits', queued, waiting, idle, 'nothing'],
  ['it is over', { ...working, state: 'completed', timeout: 1 }, started, idle, 'nothing'],
  ['it works', working, started, busy, 'nothing'],
  ['it has time left', { ...working, timeout: 60 }, started, busy, 'wait 110000'],
  ['its time is over', { ...working, timeout: 50 }, started, busy, 'expire'],
  ['it waits for too long', { ...queued, timeout: 100 }, waiting, idle, 'expire'],
  [
    'it waited for an agent, which counts not',
    { ...queued, timeout: 9, begunAt: 95_000 },
    waiting,
    idle,
    'wait 104000',
  ],
  ['it may wait, and then work as long', { ...working, timeout: 99 }, started, busy, 'wait 149000'],
  ['a second end of its time', { ...cancelling, timeout: 1 }, started, { ...busy, doubt: 1 }, 'nothing'],
  ['it waits and is not wanted', { ...cancelling, state: 'cancelling' }, waiting, idle, 'withdraw'],
  ['it waits for a session that is over', queued, waiting, over, 'withdraw'],
  ['it is being typed and not wanted', cancelling, sent, idle, 'nothing'],
  ['it works and is not wanted', cancelling, started, busy, 'press'],
  ['Esc was pressed', pressed(99_000), started, busy, 'wait 114000'],
  ['Esc has not helped', pressed(85_000), started, busy, 'press'],
  ['Esc has not helped in a dialog yet', pressed(98_000), started, asking, 'wait 101000'],
  ['Esc has not helped in a dialog', pressed(97_000), started, asking, 'press'],
  ['the turn may be ending', cancelling, started, { ...busy, doubt: 101_000 }, 'nothing'],
  ['no turn runs', working, started, { ...idle, since: 86_000 }, 'wait 101000'],
  ['no turn has run for a while', working, started, { ...idle, since: 85_000 }, 'adrift'],
  ['the session ended, its message is about to hear it', working, started, over, 'nothing'],
  ['its message is gone', working, undefined, idle, 'nothing'],
]

test.each(table)('%s', (_, task, its, session, expected) => {
  const found = next(task, its, session, 100_000, 80_000)
  expect(found.kind === 'wait' ? `wait ${found.until}` : found.kind).toBe(expected)
})

test('a host that has just come gives the hooks time to tell of the turn', () => {
  expect(next(working, started, idle, 100_000, 99_000)).toEqual({ kind: 'wait', until: 114_000 })
})

test('what a host before has pressed is asked for again at once, as the same Esc', () => {
  const [before, now] = [pressed(99_000), { kind: 'press' }]
  expect(next(before, started, busy, 100_000, 99_001)).toEqual(now)
  expect(next(before, started, asking, 100_000, 99_001)).toEqual(now)
  expect(next(before, started, { ...busy, doubt: 101_000 }, 100_000, 99_001)).toEqual({ kind: 'nothing' })
  expect(next(before, started, busy, 100_000, 99_000)).toEqual({ kind: 'wait', until: 114_000 })
  expect([cancelling, before].map((task) => timesOf(task, 99_000))).toEqual([1, 2])
  expect([cancelling, before].map((task) => timesOf(task, 99_001))).toEqual([1, 1])
})
