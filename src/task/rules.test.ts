import { expect, test } from 'vitest'
import type { Event } from '../journal/schema.ts'
import type { Message } from '../message/schema.ts'
import { launched } from '../session/rules.ts'
import type { Session } from '../session/schema.ts'
import { taskSummary, taskView } from './api.ts'
import {
  changeFact,
  claimed,
  follow,
  forgetFact,
  isFinal,
  isHeadless,
  messageIdOf,
  previewOf,
  proceed,
  queueFact,
  reduceTask,
  refusalOf,
  type Standing,
  summaryOf,
  textOf,
  viewOf,
  wish,
} from './rules.ts'
import { type Task, taskEvents, task as taskSchema } from './schema.ts'

const born = launched({ id: 's', agent: 'coder', managed: true, reviewer: false, at: 0, reportMs: 30_000 })
const idle: Session = { ...born, started: true }
const turn = { id: 'A', since: 0, answered: true }
const busy: Session = { ...idle, turn }
const over: Session = { ...idle, over: { how: 'lost' } }
const used = (input: number, output: number) => ({ input, output, cacheRead: 1, cacheWrite: 2, costUsd: 0.5 })
const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: 0 }

const queued: Task = {
  id: 'task-1',
  agent: 'coder',
  session: 's',
  preview: 'hello',
  digest: 'd',
  at: 1000,
  timeout: 60,
  state: 'queued',
}
const working: Task = { ...queued, state: 'working', startedAt: 2000, before: none }
const wished = (task: Task, why: 'cancel' | 'timeout' = 'cancel'): Task => wish(task, why, 3000)

const waiting: Message = {
  id: 'task-1',
  from: { kind: 'agency', name: 'agency' },
  to: 'coder',
  text: 'hello',
  lane: 'normal',
  at: 1000,
  life: 'queued',
}
const sent: Message = { ...waiting, life: 'sent', session: 's', sentAt: 1500 }
const started: Message = { ...sent, life: 'started', turn: 'A' }
const ended = (end: Message['end'], more: Partial<Message> = {}): Message => ({
  ...started,
  life: 'ended',
  ...(end && { end }),
  ...more,
})
const answered = ended('answered', { answer: 'Done.' })
const escaped = ended('interrupted', { reason: 'the turn was interrupted' })
const unsure: Message = { ...sent, life: 'failed', unsure: true, reason: 'nothing confirmed it' }
const refused: Message = { ...sent, life: 'failed', reason: 'no' }
const taken: Message = { ...waiting, life: 'withdrawn', reason: 'x' }

const at = 5000
const timeout = { type: 'timeout', message: 'Task exceeded timeout of 60 seconds' } as const
const cut = (message: string) => ({ type: 'claude_error', message }) as const
const halt = (message: string) => ({ type: 'interrupted', message }) as const
const begun = { startedAt: at, before: none }
const done = { endedAt: at, used: none }

type Row = readonly [string, Task, Message | undefined, Session, Partial<Task> | 'same']
const table: readonly Row[] = [
  ['waits', queued, waiting, idle, 'same'],
  ['waits while it is typed', queued, sent, idle, 'same'],
  ['waits behind a turn', queued, { ...sent, life: 'accepted' }, busy, 'same'],
  ['works in its turn', queued, started, busy, { state: 'working', ...begun }],
  ['goes on working', working, started, busy, 'same'],
  ['completes', working, answered, idle, { state: 'completed', output: 'Done.', ...done }],
  ['completes without words', working, ended('answered'), idle, { state: 'completed', output: '', ...done }],
  [
    'was over before anybody looked: what it used is not known',
    queued,
    answered,
    idle,
    { state: 'completed', output: 'Done.', startedAt: 1500, endedAt: at },
  ],
  [
    'fails by the quota',
    working,
    ended('failed'),
    { ...idle, limit: { what: 'the quota is used up', since: 0, until: 9, sure: true } },
    { state: 'failed', error: { type: 'rate_limited', message: 'the quota is used up' }, ...done },
  ],
  [
    'fails by an outage',
    working,
    ended('failed'),
    { ...idle, limit: { what: 'the API has trouble', since: 0, until: 9, sure: false } },
    { state: 'failed', error: cut('the API has trouble'), ...done },
  ],
  [
    'fails by what a person must mend',
    working,
    ended('failed'),
    { ...idle, trouble: { what: 'no login', next: 'x', since: 0 } },
    { state: 'failed', error: cut('no login'), ...done },
  ],
  [
    'fails for no known reason',
    working,
    ended('failed'),
    idle,
    { state: 'failed', error: cut('the turn failed'), ...done },
  ],
  [
    'is interrupted by a person',
    working,
    escaped,
    idle,
    { state: 'interrupted', error: halt('the turn was interrupted'), ...done },
  ],
  [
    'is interrupted by the end of its session',
    working,
    ended('over', { reason: 'the session ended' }),
    over,
    { state: 'interrupted', error: halt('the session ended'), ...done },
  ],
  [
    'does not complete by an end that nobody told',
    working,
    ended(undefined),
    idle,
    { state: 'interrupted', error: halt('its turn was over before anybody heard that it began'), ...done },
  ],
  ['is cancelling while its turn runs', wished(working), started, busy, 'same'],
  ['is cancelling while it is typed', wished(queued), sent, idle, 'same'],
  ['is cancelled with its turn', wished(working), escaped, idle, { state: 'cancelled', ...done }],
  ['is cancelled with its session', wished(working), ended('over'), over, { state: 'cancelled', ...done }],
  ['is cancelled by a failure', wished(working), ended('failed'), idle, { state: 'cancelled', ...done }],
  [
    'is completed all the same if its turn came to its end',
    wished(working),
    answered,
    idle,
    { state: 'completed', output: 'Done.', ...done },
  ],
  ['times out', wished(working, 'timeout'), escaped, idle, { state: 'failed', error: timeout, ...done }],
  ['is taken back', wished(queued), taken, idle, { state: 'cancelled', endedAt: at }],
  [
    'is taken back too late',
    wished(queued, 'timeout'),
    taken,
    idle,
    { state: 'failed', error: timeout, endedAt: at },
  ],
  ['is taken back by who took the message back', queued, taken, idle, { state: 'cancelled', endedAt: at }],
  [
    'never began in its session',
    queued,
    taken,
    over,
    { state: 'interrupted', error: halt('the session ended before it began'), endedAt: at },
  ],
  [
    'is refused by a hook of ours',
    queued,
    refused,
    idle,
    { state: 'failed', error: { type: 'not_delivered', message: 'no' }, endedAt: at },
  ],
  ['is refused as was wished', wished(queued), refused, idle, { state: 'cancelled', endedAt: at }],
  [
    'is never called cancelled where it may run',
    wished(queued),
    unsure,
    idle,
    { state: 'failed', error: { type: 'not_delivered', message: 'nothing confirmed it' }, endedAt: at },
  ],
  [
    'has lost its message',
    working,
    undefined,
    idle,
    { state: 'interrupted', error: halt('its message is gone'), ...done },
  ],
]

test.each(table)('it %s', (_, task, message, session, expected) => {
  const after = follow(task, message, session, at)
  if (expected === 'same') return expect(after).toBe(task)
  expect(after).toEqual({ ...task, ...expected })
  expect(taskSchema.parse(after)).toEqual(after)
})

test('what is told of its price late counts until another turn begins', () => {
  const over = follow(working, answered, { ...idle, usage: used(10, 1) }, at)
  expect(over.used).toEqual(used(10, 1))
  const late: Session = { ...idle, usage: used(30, 4), ended: ['A'] }
  expect(follow(over, answered, late, 9000)).toEqual({ ...over, used: used(30, 4) })
  for (const session of [
    { ...late, turn },
    { ...late, ended: ['A', 'B'] },
    { ...late, usage: used(10, 1) },
  ] satisfies Session[])
    expect(follow(over, answered, session, 9000)).toBe(over)
  expect(follow(over, undefined, late, 9000)).toBe(over)
  const less = follow({ ...working, before: used(99, 99) }, answered, { ...idle, usage: used(9, 100) }, at)
  expect(less.used).toEqual({ ...none, output: 1 })
})

test('continued: as new, with its messages counted and what it has used', () => {
  const once: Task = {
    ...working,
    state: 'failed',
    endedAt: 4000,
    error: timeout,
    output: 'x',
    used: used(7, 3),
  }
  const again = proceed({ ...wished(once), pressed: { times: 1, at: 1 } }, undefined, at)
  expect(again).toEqual({ ...queued, used: used(7, 3), prompts: 2, begunAt: at })
  expect(proceed(again, 9, at)).toEqual({ ...again, prompts: 3, timeout: 9 })
  expect([messageIdOf(once), messageIdOf(again), messageIdOf(again, 1)]).toEqual([
    'task-1',
    'task-1-2',
    'task-1',
  ])
  const begins = follow(again, { ...started, id: 'task-1-2' }, { ...busy, usage: used(20, 10) }, at)
  const ends = follow(begins, { ...answered, id: 'task-1-2' }, { ...idle, usage: used(25, 11) }, at)
  // 12 and 1 were used by others between its prompts.
  expect(ends).toMatchObject({ state: 'completed', used: { input: 12, output: 4 } })
})

test('claimed: nothing of a process is left in it', () => {
  const waits: Task = { ...queued, prompts: 1, asked: {}, select: { role: 'coder' }, priority: 2 }
  const taken = claimed(waits, 'b', 't', at)
  expect(taken).toEqual({
    ...queued,
    select: { role: 'coder' },
    priority: 2,
    agent: 'b',
    session: 't',
    begunAt: at,
  })
  expect([isHeadless(waits), isHeadless(taken)]).toEqual([true, false])
})

test('a wish is made once, and not of what is over', () => {
  expect(wished(working)).toEqual({ ...working, state: 'cancelling', wish: { why: 'cancel', at: 3000 } })
  const cancelling = wished(working)
  expect(wish(cancelling, 'timeout', 4000)).toBe(cancelling)
  const over: Task = { ...working, state: 'completed' }
  expect(wish(over, 'cancel', 4000)).toBe(over)
})

const refusals: readonly (readonly [string, Session, string | undefined, unknown])[] = [
  ['idle', idle, undefined, undefined],
  ['after an error', { ...idle, trouble: { what: 'x', next: '', since: 0 } }, undefined, undefined],
  ['starting', born, undefined, { code: 'not_ready' }],
  ['draining', { ...idle, draining: true }, undefined, { code: 'draining' }],
  ['lost', over, 'task-1', { code: 'agent_ended', why: 'lost' }],
  ['unsupervised', { ...idle, unsupervised: 'x' }, undefined, { code: 'agent_ended', why: 'unsupervised' }],
  ['unmanaged', { ...idle, managed: false }, undefined, { code: 'not_taskable' }],
  ['with a task', idle, 'task-1', { code: 'agent_busy', why: 'it works on task-1', task: 'task-1' }],
  [
    'in the turn of a person',
    busy,
    undefined,
    { code: 'agent_busy', why: 'it is in a turn that no task began', task: null },
  ],
  [
    'compacting',
    { ...idle, compacting: true },
    undefined,
    { code: 'agent_busy', why: 'it is in a turn that no task began', task: null },
  ],
  [
    'blocked',
    { ...busy, waiting: [{ tool: 'Bash', by: 'person' }] },
    undefined,
    { code: 'agent_busy', why: 'it waits for a permission', task: null },
  ],
  [
    'limited',
    { ...idle, limit: { what: 'the quota is used up', since: 0, until: 61_000 + at, sure: true } },
    undefined,
    { code: 'rate_limited', why: 'the quota is used up, for 1m' },
  ],
]
test.each(refusals)('%s: takes a task or says why not', (_, session, current, expected) =>
  expect(refusalOf(session, current, at)).toEqual(expected),
)

const iso = (ms: number): string => `1970-01-01T00:00:${String(ms / 1000).padStart(2, '0')}.000Z`
const clock = { now: 8000, iso }

test('as it is told', () => {
  const shared = { task_id: 'task-1', session_id: 's' }
  const waiting = {
    started_at: null,
    completed_at: null,
    duration_seconds: 0,
    exit_code: null,
    token_usage: null,
  }
  expect(viewOf(queued, clock)).toEqual({ ...shared, ...waiting, state: 'queued', output: null })
  expect(viewOf({ ...working, used: used(1, 1) }, clock)).toEqual({
    ...shared,
    ...waiting,
    state: 'working',
    started_at: iso(2000),
    duration_seconds: 6,
    output: null,
  })
  const over: Task = { ...working, state: 'completed', endedAt: 5000, output: 'Done.', used: used(7, 5) }
  const view = viewOf(over, clock)
  expect(view).toEqual({
    ...shared,
    state: 'completed',
    exit_code: 0,
    started_at: iso(2000),
    completed_at: iso(5000),
    duration_seconds: 3,
    output: 'Done.',
    token_usage: { input: 10, output: 5 },
    cost_usd: 0.5,
  })
  const { output: _output, ...rest } = view
  const summary = summaryOf(over, clock)
  expect(summary).toEqual({ ...rest, prompt_preview: 'hello', queued_at: iso(1000) })
  const failed = viewOf({ ...over, state: 'failed', error: timeout }, clock)
  expect([failed.exit_code, failed.error]).toEqual([1, timeout])
  for (const state of ['cancelled', 'interrupted'] as const)
    expect(viewOf({ ...over, state }, clock).exit_code).toBeNull()
  expect([taskView.safeParse(view).success, taskSummary.safeParse(summary).success]).toEqual([true, true])
})

test('what the agent reads, and how a list shows it', () => {
  const project = { name: 'app', prompt: 'Work in the tree.' }
  expect(textOf({ prompt: 'Fix it' })).toBe('Fix it')
  expect(textOf({ prompt: 'Fix it', project })).toBe('Project app: Work in the tree.\n\nFix it')
  expect(previewOf(`a\nb${'c'.repeat(200)}`)).toMatch(/^a bc{90,}…?$/)
})

test('the journal folds to the task', () => {
  const over: Task = { ...working, state: 'completed', endedAt: 5000, output: 'x', used: used(1, 2) }
  const steps = [queued, working, wished(working), over]
  const facts = [queueFact(queued), ...steps.slice(1).map(changeFact)]
  const events = facts.map((one, seq): Event => ({ ...one, seq: seq + 1, at: iso(1000) }))
  for (const [place, expected] of steps.entries())
    expect(events.slice(0, place + 1).reduce<Task | undefined>(reduceTask, undefined)).toEqual(expected)
  for (const { type, data } of facts)
    expect(taskEvents[type as keyof typeof taskEvents].safeParse(data).success).toBe(true)
  const gone: Event = { ...forgetFact(queued), seq: 9, at: iso(1000) }
  expect(reduceTask(over, gone)).toBeUndefined()
  expect(reduceTask(over, { ...gone, type: 'task.painted' })).toBe(over)
  expect(reduceTask(undefined, { ...gone, type: 'task.changed' })).toBeUndefined()
  expect(steps.map(isFinal)).toEqual([false, false, false, true])
})

const unaccepted = { type: 'review_failed', message: 'Bad.', retryable: false } as const
test.each<[string, Task, Message, Standing, Partial<Task>]>([
  ['whose work counts is completed', working, answered, 'free', { state: 'completed', output: 'Done.' }],
  ['whose work is reviewed stays open', working, answered, 'held', { state: 'working' }],
  [
    'whose work nobody accepts has failed',
    working,
    answered,
    { refused: 'Bad.' },
    { state: 'failed', output: 'Done.', error: unaccepted },
  ],
  ['that is cancelled meanwhile is no success', wished(working), answered, 'held', { state: 'cancelled' }],
  [
    'whose time is over neither',
    wished(working, 'timeout'),
    answered,
    'held',
    { state: 'failed', error: timeout },
  ],
  ['that was interrupted is not reviewed', working, escaped, 'held', { state: 'interrupted' }],
])('a task %s', (_, task, message, standing, expected) => {
  expect(follow(task, message, idle, at, standing)).toMatchObject(expected)
})
