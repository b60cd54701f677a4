import { expect, test } from 'vitest'
import type { Event } from '../../../journal/schema.ts'
import type { TaskDetails, TaskView } from '../../../task/api.ts'
import type { TaskState } from '../../../task/schema.ts'
import {
  doing,
  isSettled,
  leftLine,
  lineOf,
  type Of,
  outcome,
  report,
  sentence,
  tableOf,
  watchedFrom,
  whose,
} from './rules.ts'

const view = (state: TaskState, more: Partial<TaskView> = {}): Of<TaskView> => ({
  agent: 'a',
  task_id: 'task-1',
  state,
  exit_code: null,
  started_at: null,
  completed_at: null,
  duration_seconds: 0,
  session_id: 's',
  token_usage: null,
  output: null,
  ...more,
})

test.each<[TaskState, boolean, 0 | 1]>([
  ['queued', false, 1],
  ['working', false, 1],
  ['cancelling', false, 1],
  ['idle', true, 0],
  ['completed', true, 0],
  ['failed', true, 1],
  ['cancelled', true, 1],
  ['interrupted', true, 1],
])('%s is settled: %s, exit %i', (state, settled, exit) => {
  const task = view(state)
  expect([isSettled(task), outcome(task).exit]).toEqual([settled, exit])
})

const timeout = { type: 'timeout', message: 'Task exceeded timeout of 3 seconds' } as const
test.each<[Of<TaskView>, readonly string[]]>([
  [view('completed', { output: 'Fixed.' }), ['Fixed.']],
  [view('idle', { output: 'Fixed.' }), ['Fixed.']],
  [view('completed', { output: '' }), ['task-1 of a is done.']],
  [view('completed'), ['task-1 of a is done.']],
  [view('cancelled', { output: 'Half' }), ['task-1 of a was cancelled.', 'Half']],
  [
    view('failed', { error: timeout }),
    ['task-1 of a has failed (timeout): Task exceeded timeout of 3 seconds.'],
  ],
])('%# who waited is told the last words, or what happened', (task, lines) => {
  expect(outcome(task)).toEqual({ data: { task }, lines, exit: expect.any(Number) })
})

test.each<[NonNullable<TaskView['error']>, string]>([
  [{ type: 'overloaded', message: 'Busy.', retryable: true }, ' (overloaded): Busy. It may be given again.'],
  [
    { type: 'rate_limited', message: 'x', retryable: true, retry_at: '2026-01-01T00:00:00.000Z' },
    ' (rate_limited): x. It may be given again, not before 2026-01-01T00:00:00.000Z.',
  ],
  [{ type: 'claude_error', message: 'a\u001b[31m\nb', retryable: false }, ' (claude_error): a b.'],
])('%# an error in words', (error, words) => {
  expect(sentence(view('failed', { error }))).toBe(`task-1 of a has failed${words}`)
})

test('what could not be ended is named', () => {
  const left_processes = [
    { pid: 7, command: 'sleep 9' },
    { pid: 8, command: 'x' },
  ]
  expect(sentence(view('cancelled', { left_processes }))).toBe(
    'task-1 of a was cancelled. Nothing could end these processes of it: 7 (sleep 9), 8 (x).',
  )
})

test.each<[TaskState, string]>([
  [
    'working',
    'task-1 goes on. `agency task show task-1 --wait` returns to it, `agency task cancel task-1` ends it.',
  ],
  ['cancelling', 'task-1 is being ended all the same. `agency task show task-1 --wait` returns to it.'],
])('who leaves a task that is %s', (state, line) => expect(leftLine(view(state))).toBe(line))

test.each<[Partial<TaskView>, string]>([
  [{}, 'task-1 working'],
  [{ duration_seconds: 65 }, 'task-1 working, 1m'],
  [
    { duration_seconds: 5, progress: { turns: 2, tool: 'Bash', tokens: 12_345 } },
    'task-1 working, 5s, turn 2, 12.3k tokens, Bash',
  ],
  [
    { progress: { turns: 0, tokens: 0, retry_at: '2026-01-01T00:00:00.000Z' } },
    'task-1 working, is tried again at 2026-01-01T00:00:00.000Z',
  ],
])('%# what it does now', (more, text) => expect(doing(view('working', more))).toBe(text))

test('one that waits says why, wherever it is told', () => {
  const waiting = { ...view('queued'), agent: null, waits: 'for an agent: x is \u001b[1mworking' }
  const words = 'task-1 waits for an agent: x is working'
  expect(sentence(waiting)).toBe(`${words}.`)
  expect(doing({ ...waiting, waits: 'for an agent: x is working' })).toBe(words)
  expect(whose({ task_id: 'task-1', agent: null })).toBe('task-1 waits for an agent')
  expect(sentence({ ...view('queued'), agent: null })).toBe('task-1 is stored and has not begun.')
})

const event = (type: string, subject: string, data: Event['data']): Event => ({
  seq: 1,
  at: '2026-01-01T00:00:00.000Z',
  kind: 'activity',
  type,
  subject,
  data,
})
test.each<[string, string, Event['data'], string | undefined]>([
  ['task.changed', 'task:task-1', { state: 'working' }, '  task-1 working'],
  ['task.changed', 'task:task-2', { state: 'working' }, undefined],
  ['session.called', 'session:s', { tool: 'Bash' }, '  Bash …'],
  ['session.called', 'session:other', { tool: 'Bash' }, undefined],
  ['session.returned', 'session:s', { tool: 'Bash', ok: true, ms: 1234 }, '  Bash is done (1.2 s)'],
  ['session.returned', 'session:s', { tool: 'Bash', ok: false }, '  Bash has failed'],
  ['session.refused', 'session:s', { reason: 'no\nway' }, '  refused: no way'],
  ['session.called', 'session:s', { tool: 'x\u001b]0;t\u0007y\nz' }, '  xy z …'],
  ['session.doing', 'session:s', {}, undefined],
])('%# %s of %s', (type, subject, data, line) => {
  expect(lineOf(event(type, subject, data), { task: 'task-1', sessions: ['q', 's'] })).toBe(line)
})

test.each<[string, string, Event['data'], readonly string[] | undefined]>([
  ['task.queued', 'task:task-1', { session: 's' }, ['q', 's']],
  ['task.changed', 'task:task-1', { session: 's', agent: 'a' }, ['q', 's', 'one of a']],
  ['task.changed', 'task:task-1', { session: 'q' }, undefined],
  ['task.changed', 'task:task-2', { session: 's' }, undefined],
  ['session.called', 'session:s', { session: 's' }, undefined],
])('%# who tells of it after %s of %s', (type, subject, data, sessions) => {
  const watched = watchedFrom(event(type, subject, data), { task: 'task-1', sessions: ['q'] }, (agent) => [
    `one of ${agent}`,
  ])
  expect(watched?.sessions).toEqual(sessions)
})

const details: Of<TaskDetails> = {
  ...view('completed', {
    started_at: '2026-01-01T00:00:01.000Z',
    completed_at: '2026-01-01T00:00:04.000Z',
    duration_seconds: 3,
    token_usage: { input: 10, output: 2 },
    cost_usd: 0.016,
    output: 'Done.',
  }),
  prompt_preview: 'Do \u001b[1mit',
  queued_at: '2026-01-01T00:00:00.000Z',
  prompts: ['Do it', 'Go on'],
  log: ['called Bash'],
}

test('all that is known of it, and only what is known', () => {
  expect(report(details)).toEqual([
    'task-1 of a is done.',
    'agent    a',
    'session  s',
    'queued   2026-01-01T00:00:00.000Z',
    'started  2026-01-01T00:00:01.000Z',
    'ended    2026-01-01T00:00:04.000Z',
    'took     3s',
    'tokens   10 in, 2 out',
    'cost     $0.02',
    '',
    'Prompt:',
    'Do it',
    'Go on',
    '',
    'Did:',
    'called Bash',
    '',
    'Output:',
    'Done.',
  ])
  const bare = { ...view('queued'), prompt_preview: 'Do it', queued_at: 'then', prompts: [], log: [] }
  expect(report(bare)).toEqual([
    'task-1 of a is stored and has not begun.',
    'agent    a',
    'session  s',
    'queued   then',
    '',
    'Prompt:',
    'Do it',
  ])
})

test('a line for each task, without what could act on a terminal', () => {
  const failed = { ...details, state: 'failed' as const, error: timeout }
  const queued = { ...details, ...view('queued'), cost_usd: undefined as never }
  expect(tableOf([details, failed, queued]).map((line) => line.replace(/ {2,}/g, ' | '))).toEqual([
    'ID | AGENT | STATE | QUEUED | TOOK | COST | PROMPT',
    'task-1 | a | completed | 2026-01-01T00:00:00.000Z | 3s | $0.02 | Do it',
    'task-1 | a | failed (timeout) | 2026-01-01T00:00:00.000Z | 3s | $0.02 | Do it',
    'task-1 | a | queued | 2026-01-01T00:00:00.000Z | - | - | Do it',
  ])
})
