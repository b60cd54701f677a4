import { expect, test } from 'vitest'
import { activity, fact, nounOf, replay } from './rules.ts'
import { type Event, event } from './schema.ts'

test.each([
  ['task:t1', 'task'],
  ['task.accepted', 'task'],
  ['note:a:b', 'note'],
  [':x', ''],
  ['', ''],
])('the noun of %j is %j', (name, noun) => {
  expect(nounOf(name)).toBe(noun)
})

test('a fact is about the subject that its type names', () => {
  expect(fact('task.accepted', 't1', { prompt: 'go' })).toEqual({
    kind: 'state',
    type: 'task.accepted',
    subject: 'task:t1',
    data: { prompt: 'go' },
  })
  expect(activity('tool.called.late', 'x')).toEqual({
    kind: 'activity',
    type: 'tool.called.late',
    subject: 'tool:x',
    data: {},
  })
})

test.each([
  ['task:t1', true],
  ['task:ü 😀/x', true],
  [`task:${'x'.repeat(200)}`, true],
  [`task:${'x'.repeat(201)}`, false],
  ['task:', false],
  ['Task:t1', false],
  ['task', false],
  ['task:a\nb', false],
  ['task:a\u0000', false],
  ['task:\ud800', false],
])('subject %j: %j', (subject, valid) => {
  expect(event.shape.subject.safeParse(subject).success).toBe(valid)
})

const at = '2026-01-01T00:00:00.000Z'
const events: Event[] = [
  fact('note.written', 'a', { text: '1' }),
  activity('note.read', 'a'),
  fact('note.written', 'b', { text: '2' }),
  fact('note.removed', 'b'),
  fact('note.written', 'a', { text: '3' }),
].map((one, index) => ({ ...one, seq: index + 1, at }))
const reduce = (noun: string) => (state: unknown, one: Event) =>
  one.type === 'note.removed' ? undefined : `${state ?? noun}${one.data.text}`

test('a replay folds each subject by itself, leaves activity out, forgets what is undefined', () => {
  const whole = new Map([['note:a', { subject: 'note:a', seq: 5, state: 'note13' }]])
  expect(replay(events, reduce)).toEqual(whole)
  for (let cut = 0; cut <= events.length; cut += 1) {
    const from = replay(events.slice(0, cut), reduce)
    expect(replay(events.slice(cut), reduce, from)).toEqual(whole)
  }
})

test('a replay leaves what it goes on from as it was', () => {
  const from = replay(events.slice(0, 1), reduce)
  replay(events.slice(1), reduce, from)
  expect(from).toEqual(new Map([['note:a', { subject: 'note:a', seq: 1, state: 'note1' }]]))
})
