import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Outcome, Usage } from '../../driver/schema.ts'
import { isFinal, viewOf } from '../rules.ts'
import { task as schema, type Task } from '../schema.ts'
import {
  begin,
  deadline,
  type Ending,
  end,
  escalate,
  hadBegun,
  hasBegun,
  isContinuable,
  isOpen,
  isStopped,
  lose,
  proceed,
  refuse,
  retryAt,
  settle,
  wish,
} from './rules.ts'

const iso = (at: number): string => new Date(at).toISOString()
const clock = (at: number) => ({ at, iso })
const session = '11111111-2222-4333-8444-555555555555'
const queued: Task = {
  id: 'task-a',
  agent: 'ag',
  session,
  preview: 'do',
  digest: 'd',
  at: 0,
  timeout: 100,
  state: 'queued',
  prompts: 1,
  asked: {},
}
const working = begin(queued, 0, 10)
const kept: Task = { ...working, asked: { keepOpen: true } }
const usage = (output: number): Usage => ({ input: 1, output, cacheRead: 0, cacheWrite: 0, costUsd: 0.5 })
const told = { turns: 1, denials: [] }
const ok: Outcome = { ...told, ok: true, text: 'Done.', total: usage(5) }
const bad = (kind: Extract<Outcome, { ok: false }>['class'], more: object = {}) =>
  ({ ...told, ok: false, class: kind, message: 'no', ...more }) as Extract<Outcome, { ok: false }>
const ended = (outcome: Outcome, code: number | null = 0, said = ''): Ending => ({
  outcome,
  exit: { code, signal: null },
  said,
  left: [],
})

test('an attempt is stored with all that tells later whether it ran', () => {
  expect(working).toEqual({
    ...queued,
    state: 'working',
    startedAt: 10,
    begunAt: 10,
    attempt: { number: 1, session, resume: false, prompt: 1, offset: 0 },
  })
  const second = begin({ ...working, state: 'queued', retryAt: 15 }, 300, 20)
  expect(second).toEqual({
    ...working,
    attempt: { number: 2, session, resume: true, prompt: 1, offset: 300 },
  })
  expect([hasBegun(working, 0), hasBegun(working, 1), hasBegun(second, 300)]).toEqual([false, true, false])
  // Another prompt has not begun, whatever the session said to the one before.
  expect(hasBegun({ ...working, prompts: 2 }, 500)).toBe(false)
  const asked = { resumable: true as const }
  expect([
    hadBegun(working, 0),
    hadBegun(working, 1),
    hadBegun({ ...working, asked }, 1),
    hadBegun({ ...working, retryAt: 7 }, 1),
  ]).toEqual([false, true, false, false])
})

test.each<[string, Task, Ending, Partial<Task>]>([
  ['completes with its answer', working, ended(ok), { state: 'completed', output: 'Done.', endedAt: 50 }],
  ['is idle where it is kept open', kept, ended(ok), { state: 'idle', output: 'Done.' }],
  [
    'completes though it was wished away: the work ran',
    wish(working, 'cancel', 20),
    ended(ok),
    { state: 'completed', output: 'Done.' },
  ],
  [
    'is cancelled, with what it said so far',
    wish(working, 'cancel', 20),
    ended(bad('interrupted'), 143, 'Half.'),
    { state: 'cancelled', output: 'Half.', endedAt: 50 },
  ],
  [
    'is too late',
    wish(working, 'timeout', 20),
    ended(bad('interrupted'), 143),
    {
      state: 'failed',
      error: { type: 'timeout', message: 'Task exceeded timeout of 100 seconds', retryable: true },
    },
  ],
  [
    'is interrupted by whoever killed its process',
    working,
    ended(bad('interrupted'), 137),
    { state: 'interrupted', error: { type: 'interrupted', message: 'no' } },
  ],
  [
    'goes on where its process was killed, if it may',
    { ...working, asked: { resumable: true } },
    ended(bad('interrupted'), 137),
    { state: 'queued', failures: 1 },
  ],
  [
    'is given up where its process was killed too often',
    { ...working, asked: { resumable: true }, failures: 10 },
    ended(bad('interrupted'), 137),
    { state: 'interrupted', error: { type: 'interrupted', message: 'no' } },
  ],
  [
    'is tried again when the API failed',
    working,
    ended(bad('overload'), 1),
    { state: 'queued', failures: 1, retryAt: 5_050 },
  ],
  [
    'waits for the end of a limit',
    working,
    ended(bad('rate_limit', { resetsAt: 60_000 }), 1),
    { state: 'queued', failures: 1, retryAt: 60_000 },
  ],
  [
    'fails where the limit ends after its time',
    working,
    ended(bad('rate_limit', { resetsAt: 900_000 }), 1),
    {
      state: 'failed',
      error: { type: 'rate_limited', message: 'no', retryable: true, retry_at: iso(900_000) },
    },
  ],
  [
    'fails after it was tried often enough',
    { ...working, failures: 3 },
    ended(bad('retryable'), 1),
    { state: 'failed', error: { type: 'claude_error', message: 'no', retryable: true } },
  ],
  ...(
    [
      ['auth', 'auth_error'],
      ['max_turns', 'max_turns'],
      ['budget', 'budget_exceeded'],
      ['context_overflow', 'context_overflow'],
      ['blocked', 'blocked'],
      ['fatal', 'claude_error'],
    ] as const
  ).map(([kind, type]): [string, Task, Ending, Partial<Task>] => [
    `fails for good: ${kind}`,
    working,
    ended(bad(kind), 1),
    { state: 'failed', error: { type, message: 'no', retryable: false } },
  ]),
])('it %s', (_, before, ending, expected) => {
  const after = settle(before, ending, clock(50))
  expect(after).toMatchObject(expected)
  expect(schema.parse(after)).toEqual(after)
  expect(isFinal(after)).toBe(after.endedAt !== undefined)
})

test('it names what nothing could end, of all its attempts', () => {
  const left = [{ pid: 7, command: 'sleep 9' }]
  const first = settle(working, { ...ended(bad('retryable'), 1), left }, clock(50))
  expect(first).toMatchObject({ state: 'queued', left })
  const second = settle(begin(first, 9, 60), { ...ended(ok), left: [{ pid: 8, command: 'x' }] }, clock(70))
  expect(schema.parse(second)).toMatchObject({ state: 'completed', left: [{ pid: 7 }, { pid: 8 }] })
  const view = viewOf(second, { now: 80, iso })
  expect(view.left_processes).toEqual(second.left)
})

test('an error is not told a second time as its last words', () => {
  expect(settle(working, ended(bad('auth'), 1, 'no'), clock(50)).output).toBeUndefined()
  expect(settle(working, ended(bad('auth'), 1, 'I began.'), clock(50)).output).toBe('I began.')
})

test('what it used is the difference to what the session had used', () => {
  const first = settle(working, ended(ok), clock(50))
  expect([first.used, first.total]).toEqual([usage(5), usage(5)])
  const again = begin(proceed(first, undefined), 10, 60)
  const second = settle(again, ended({ ...ok, total: usage(9) }), clock(70))
  expect(second.used?.output).toBe(9)
  const other = begin({ ...queued, total: usage(9) }, 10, 60)
  expect(settle(other, ended({ ...ok, total: usage(12) }), clock(70)).used?.output).toBe(3)
})

test.each([
  ['retryable', 0, {}, 5_000],
  ['retryable', 2, {}, 120_000],
  ['retryable', 3, {}, undefined],
  ['overload', 1, {}, 30_000],
  ['rate_limit', 0, { resetsAt: 3_600_000 }, 3_600_000],
  ['rate_limit', 0, { retryAfterMs: 700_000 }, 700_000],
  ['rate_limit', 0, { resetsAt: 1 }, 5_000],
  ['fatal', 0, {}, undefined],
  ['auth', 0, {}, undefined],
  ['interrupted', 0, {}, undefined],
] as const)('%s after %i failures %j is tried at %s', (kind, failures, more, expected) => {
  expect(retryAt(bad(kind, more), failures, 0)).toBe(expected)
})

test.each<[string, Task, Parameters<typeof lose>[1], Partial<Task>]>([
  [
    'never began: again',
    working,
    { transcript: false, env: true, why: 'w' },
    { state: 'queued', failures: 1 },
  ],
  [
    'never began, again and again',
    { ...working, failures: 10 },
    { transcript: false, env: true, why: 'w' },
    { state: 'failed', error: { type: 'launch_error', message: 'w', retryable: true } },
  ],
  [
    'has begun: interrupted',
    working,
    { transcript: true, env: true, why: 'w' },
    { state: 'interrupted', error: { type: 'interrupted', message: 'w' } },
  ],
  [
    'has begun and may go on',
    { ...working, asked: { resumable: true } },
    { transcript: true, env: true, why: 'w' },
    { state: 'queued' },
  ],
  [
    'never began, and its env is gone',
    { ...working, asked: { env: true } },
    { transcript: false, env: false, why: 'w' },
    { state: 'failed', error: { type: 'env_lost', message: expect.any(String), retryable: true } },
  ],
  [
    'was wished away',
    wish(working, 'cancel', 20),
    { transcript: true, env: true, why: 'w' },
    { state: 'cancelled' },
  ],
])('lost, it %s', (_, before, traces, expected) => {
  expect(lose(before, traces, 50)).toMatchObject(expected)
})

test('a wish counts once; without a process it is granted at once', () => {
  expect(wish(queued, 'cancel', 20)).toMatchObject({ state: 'cancelled', endedAt: 20 })
  expect(wish(queued, 'timeout', 20)).toMatchObject({ state: 'failed', error: { type: 'timeout' } })
  const cancelling = wish(working, 'cancel', 20)
  expect(cancelling).toEqual({ ...working, state: 'cancelling', wish: { why: 'cancel', at: 20 } })
  expect(wish(cancelling, 'timeout', 30)).toBe(cancelling)
  expect(wish(settle(kept, ended(ok), clock(50)), 'cancel', 60)).toMatchObject({ state: 'cancelled' })
  expect(refuse(working, { type: 'launch_error', message: 'm' }, 30)).toMatchObject({ state: 'failed' })
  expect(refuse(cancelling, { type: 'launch_error', message: 'm' }, 30)).toMatchObject({ state: 'cancelled' })
})

test('time runs from the first try of the present prompt', () => {
  expect([deadline(queued), deadline(working), deadline(wish(working, 'cancel', 20))]).toEqual([
    100_000,
    100_010,
    undefined,
  ])
  expect(deadline(begin(proceed(settle(kept, ended(ok), clock(50)), 5), 9, 1_000))).toBe(6_000)
})

type Step = (task: Task, at: number) => Task
const outcomes: readonly Outcome[] = [
  ok,
  bad('interrupted'),
  bad('overload'),
  bad('rate_limit'),
  bad('fatal'),
]
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.nat(3).map(
    (offset): Step =>
      (task, at) =>
        task.state === 'queued' ? begin(task, offset * 10, at) : task,
  ),
  fc.constantFrom(...outcomes).map(
    (outcome): Step =>
      (task, at) =>
        task.state === 'working' || task.state === 'cancelling'
          ? settle(task, ended(outcome, 1), clock(at))
          : task,
  ),
  fc.boolean().map(
    (transcript): Step =>
      (task, at) =>
        task.state === 'working' || task.state === 'cancelling'
          ? lose(task, { transcript, env: false, why: 'w' }, at)
          : task,
  ),
  fc.constantFrom('cancel' as const, 'timeout' as const).map(
    (why): Step =>
      (task, at) =>
        wish(task, why, at),
  ),
  fc.constant<Step>((task) => (isContinuable(task) ? proceed(task, undefined) : task)),
  fc.constant<Step>((task, at) => end(task, at)),
)

test('whatever happens: a result is recorded once, nothing is done without an attempt, and it stays a task', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 40 }),
      fc.boolean(),
      fc.boolean(),
      (steps, keepOpen, resumable) => {
        const asked = { ...(keepOpen && { keepOpen }), ...(resumable && { resumable }) } as Task['asked']
        steps.reduce<Task>(
          (before, one, at) => {
            const after = one(before, at + 1)
            expect(schema.parse(after)).toEqual(after)
            expect(isFinal(after)).toBe(after.endedAt !== undefined)
            if (after.state === 'working') expect(after.attempt).toBeDefined()
            if (after.state === 'completed' || after.state === 'idle') expect(after.attempt).toBeDefined()
            // Only a continue leads back from what is over.
            if (isFinal(before) && after !== before) expect(after.prompts).toBe((before.prompts ?? 1) + 1)
            if (before.wish !== undefined && isOpen(before) && isOpen(after))
              expect(after.state).toBe('cancelling')
            expect(after.attempt?.number ?? 0).toBeGreaterThanOrEqual(before.attempt?.number ?? 0)
            return after
          },
          { ...queued, asked },
        )
      },
    ),
    { seed: 5, numRuns: 2000 },
  )
})

const reviewed = (how: Ending['reviewed']): Ending => ({ ...ended(ok), reviewed: how })
const back = reviewed({ kind: 'back' })
const refused = reviewed({ kind: 'refused', why: 'Bad.' })
test.each<[string, Task, Ending, Partial<Task>]>([
  ['is accepted', working, reviewed({ kind: 'accepted' }), { state: 'completed', output: 'Done.' }],
  ['is accepted and kept open', kept, reviewed({ kind: 'accepted' }), { state: 'idle', output: 'Done.' }],
  ['goes back', working, back, { state: 'queued', prompts: 2, review: { prompts: [2] } }],
  [
    'goes back once more',
    { ...working, prompts: 3, review: { prompts: [2, 3], approval: 'a1' } },
    back,
    { state: 'queued', prompts: 4, review: { prompts: [2, 3, 4] } },
  ],
  [
    'is refused',
    working,
    refused,
    { state: 'failed', output: 'Done.', error: { type: 'review_failed', message: 'Bad.', retryable: false } },
  ],
  ['is cancelled meanwhile', wish(working, 'cancel', 20), refused, { state: 'cancelled' }],
  [
    'is too late',
    wish(working, 'timeout', 20),
    back,
    { state: 'failed', error: expect.objectContaining({ type: 'timeout' }) },
  ],
])('work that %s', (_, task, ending, expected) => {
  const settled = settle(task, ending, clock(50))
  expect(settled).toMatchObject(expected)
  expect(schema.parse(settled)).toEqual(settled)
  // What it used is paid for, whatever became of it.
  expect(settled.used?.output).toBe(5)
  if (settled.state === 'queued') expect(settled).not.toHaveProperty('output')
})

test('while a person is asked about the work, its time does not pass', () => {
  const asked = escalate(working, 'a1')
  expect([deadline(working), deadline(asked)]).toEqual([100_010, undefined])
  expect(asked.review).toEqual({ approval: 'a1' })
  expect(escalate(asked, 'a1')).toBe(asked)
  expect(escalate({ ...asked, review: { prompts: [2], approval: 'a1' } }, undefined).review).toEqual({
    prompts: [2],
  })
  const over = settle(working, ended(ok), clock(50))
  expect(escalate(over, 'a1')).toBe(over)
  const again = proceed({ ...over, review: { prompts: [2], approval: 'a1' } }, undefined)
  expect(again.review).toEqual({ prompts: [2] })
})

test('what did not come to its own end is not reviewed', () => {
  const stopped = ended({ ...ok, stopped: true })
  expect([
    isStopped(working, ended(ok)),
    isStopped(working, ended(bad('fatal'))),
    isStopped(working, stopped),
    isStopped(wish(working, 'budget', 20), stopped),
  ]).toEqual([false, true, false, true])
})
