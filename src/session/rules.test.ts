import { expect, test } from 'vitest'
import type { HookEvent, TelemetryEvent, TranscriptEvent } from '../driver/schema.ts'
import { deadline, hear, isQuiet, launched, stateOf } from './rules.ts'
import { type Session, type SessionState, type Signal, session as schema } from './schema.ts'

const born = launched({ id: 's', agent: 'coder', managed: true, reviewer: false, at: 0, reportMs: 30_000 })

type Bare<E> = E extends HookEvent ? Omit<E, 'session' | 'cwd' | 'transcript'> : never
const place = { session: 's', cwd: '/w', transcript: '/t' }
const event = (bare: Bare<HookEvent>): HookEvent => ({ ...place, ...bare }) as HookEvent
const hook = (bare: Bare<HookEvent>, more: object = {}): Signal => ({
  from: 'hook',
  event: event(bare),
  ...more,
})
const line = (told: TranscriptEvent): Signal => ({ from: 'transcript', event: told })
const sent = (told: TelemetryEvent): Signal => ({ from: 'telemetry', event: told })

const started = hook({ kind: 'session_started', source: 'startup' })
const prompt = (turn: string) => hook({ kind: 'prompted', text: 'go', origin: 'person', reads: [], turn })
const call = (id: string, tool = 'Bash') => ({ id, tool, input: {} })
const asked = (turn: string, id: string, tool = 'Bash') =>
  hook({ kind: 'tool_asked', call: call(id, tool), turn })
const done = (turn: string, id: string) => hook({ kind: 'tool_done', call: call(id), turn })
const permission = (turn: string, id?: string) =>
  hook({ kind: 'permission_asked', tool: 'Bash', input: {}, turn }, id === undefined ? {} : { call: id })
const stop = (turn: string, background: readonly string[] = []) =>
  hook({
    kind: 'turn_ended',
    again: false,
    last: '',
    background: background.map((id) => ({ id, kind: 'subagent', description: '' })),
    turn,
  })
const sub = { id: 'a1', type: 'helper' }
const promptLine = (turn: string) => line({ kind: 'prompted', text: 'go', origin: 'person', turn })
const interrupted = line({ kind: 'interrupted' })
const decided = (id: string, accepted: boolean, person = true) =>
  sent({ kind: 'decided', call: id, tool: 'Bash', accepted, source: 'user_reject', person, session: 's' })
const ran = (id: string, did = true): Signal =>
  line({ kind: 'ended', ended: { call: id, ok: true, ran: did } })
const esc: Signal = { from: 'keeper', event: { kind: 'typed', key: 'escape' } }
const exit: Signal = { from: 'keeper', event: { kind: 'exited', code: 0, signal: null } }
const lost: Signal = { from: 'keeper', event: { kind: 'lost' } }
const clock: Signal = { from: 'clock' }

/** A number is time that passes, told by the clock. */
type Step = Signal | number
const play = (steps: readonly Step[], from: Session = born): Session => {
  let at = from.heard
  return steps.reduce<Session>((session, step) => {
    at += typeof step === 'number' ? step : 10
    return hear(session, typeof step === 'number' ? clock : step, at)
  }, from)
}

const idle: SessionState = { name: 'idle' }
const thinking: SessionState = { name: 'working', doing: 'thinking' }
const bash: SessionState = { name: 'working', doing: 'tool', tool: 'Bash' }
const blocked: SessionState = { name: 'blocked', tool: 'Bash' }
const failed = (error: string, last: string) => hook({ kind: 'turn_failed', error, last, turn: 'A' })

const table: readonly (readonly [string, readonly Step[], SessionState])[] = [
  ['is starting until its hook reports', [], { name: 'starting' }],
  ['is idle once it did', [started], idle],
  ['thinks after a prompt', [started, prompt('A')], thinking],
  ['runs a tool', [started, prompt('A'), asked('A', '1')], bash],
  ['thinks after a tool', [started, prompt('A'), asked('A', '1'), done('A', '1')], thinking],
  ['is idle after its turn', [started, prompt('A'), asked('A', '1'), done('A', '1'), stop('A')], idle],
  [
    'shows the tool that still runs',
    [started, prompt('A'), asked('A', '1'), asked('A', '2', 'Read'), done('A', '2')],
    bash,
  ],

  [
    'is blocked by a request for permission',
    [started, prompt('A'), asked('A', '1'), permission('A')],
    blocked,
  ],
  [
    'is not blocked once the call ran',
    [started, prompt('A'), asked('A', '1'), permission('A'), done('A', '1')],
    thinking,
  ],
  [
    'runs the tool after a yes in the dialog',
    [started, prompt('A'), asked('A', '1'), permission('A'), decided('1', true)],
    bash,
  ],
  [
    'waits for the transcript after a no in the dialog',
    [started, prompt('A'), asked('A', '1'), permission('A'), decided('1', false)],
    thinking,
  ],
  [
    'is idle after a no in the dialog',
    [started, prompt('A'), promptLine('A'), asked('A', '1'), permission('A'), interrupted],
    idle,
  ],
  [
    'is idle after a no that only telemetry tells',
    [started, prompt('A'), asked('A', '1'), permission('A'), decided('1', false), 10_000],
    idle,
  ],
  [
    'is idle after Esc in a dialog that only the connection tells',
    [
      started,
      prompt('A'),
      asked('A', '1'),
      permission('A'),
      {
        from: 'closed',
        event: event({ kind: 'permission_asked', tool: 'Bash', input: {}, turn: 'A' }),
        call: '1',
      },
      10_000,
    ],
    idle,
  ],
  [
    'goes on after a no with words',
    [
      started,
      prompt('A'),
      asked('A', '1'),
      permission('A'),
      decided('1', false),
      asked('A', '2', 'Read'),
      10_000,
    ],
    { name: 'working', doing: 'tool', tool: 'Read' },
  ],
  [
    'is not blocked again by a request that comes again',
    [started, prompt('A'), asked('A', '1'), permission('A', '1'), decided('1', true), permission('A', '1')],
    bash,
  ],
  [
    'stays blocked by a second request that no call was found for',
    [
      started,
      prompt('A'),
      permission('A'),
      permission('A'),
      {
        from: 'closed',
        event: event({ kind: 'permission_asked', tool: 'Bash', input: {}, turn: 'A' }),
      },
    ],
    blocked,
  ],
  [
    'stays blocked by the other request',
    [
      started,
      prompt('A'),
      asked('A', '1'),
      asked('A', '2'),
      permission('A', '1'),
      permission('A', '2'),
      decided('1', true),
    ],
    blocked,
  ],
  [
    'stays blocked when a notification comes',
    [
      started,
      prompt('A'),
      asked('A', '1'),
      permission('A'),
      hook({ kind: 'notified', type: 'permission_prompt', text: '' }),
    ],
    blocked,
  ],
  [
    'stays blocked when a subagent works',
    [
      started,
      prompt('A'),
      asked('A', '1'),
      permission('A'),
      hook({ kind: 'tool_asked', call: call('9'), turn: 'A', subagent: sub }),
      hook({ kind: 'tool_done', call: call('9'), turn: 'A', subagent: sub }),
    ],
    blocked,
  ],
  [
    'is not blocked after the next prompt',
    [started, prompt('A'), asked('A', '1'), permission('A'), prompt('B')],
    thinking,
  ],
  [
    'is not blocked after the turn',
    [started, prompt('A'), asked('A', '1'), permission('A'), stop('A')],
    idle,
  ],
  [
    'is blocked by a question of the model',
    [started, prompt('A'), asked('A', '1', 'AskUserQuestion')],
    { name: 'blocked', tool: 'AskUserQuestion' },
  ],
  [
    'names the approval',
    [
      started,
      prompt('A'),
      asked('A', '1'),
      permission('A', '1'),
      { from: 'approval', event: { kind: 'asked', approval: 'p1', tool: 'Bash', call: '1' } },
    ],
    { ...blocked, approval: 'p1' },
  ],
  [
    'runs the tool that was approved elsewhere',
    [
      started,
      prompt('A'),
      asked('A', '1'),
      { from: 'approval', event: { kind: 'asked', approval: 'p1', tool: 'Bash', call: '1' } },
      { from: 'approval', event: { kind: 'answered', approval: 'p1', refused: false } },
    ],
    bash,
  ],
  [
    'thinks after a refusal elsewhere',
    [
      started,
      prompt('A'),
      asked('A', '1'),
      { from: 'approval', event: { kind: 'asked', approval: 'p1', tool: 'Bash', call: '1' } },
      { from: 'approval', event: { kind: 'answered', approval: 'p1', refused: true } },
    ],
    thinking,
  ],
  [
    'thinks after we refused a call',
    [
      started,
      prompt('A'),
      asked('A', '1'),
      { from: 'answer', event: event({ kind: 'tool_asked', call: call('1'), turn: 'A' }), refused: true },
    ],
    thinking,
  ],

  [
    'is idle after Esc with output',
    [started, prompt('A'), promptLine('A'), asked('A', '1'), esc, interrupted],
    idle,
  ],
  ['still works when Esc closed a menu', [started, prompt('A'), asked('A', '1'), esc, 60_000], bash],
  ['is idle after Esc before any output', [started, prompt('A'), esc, 3000], idle],
  ['is not idle at once after that Esc', [started, prompt('A'), esc, 2000], thinking],
  ['works if that Esc was something else', [started, prompt('A'), esc, asked('A', '1'), 3000], bash],
  ['works if that is seen only later', [started, prompt('A'), esc, 3000, asked('A', '1')], bash],
  [
    'is idle when it says so itself',
    [started, prompt('A'), hook({ kind: 'notified', type: 'idle_prompt', text: '' })],
    idle,
  ],
  [
    'is not idle when it says so during a tool',
    [started, prompt('A'), asked('A', '1'), hook({ kind: 'notified', type: 'idle_prompt', text: '' })],
    bash,
  ],

  [
    'ignores an interrupted line of an older turn',
    [started, prompt('A'), promptLine('A'), prompt('B'), interrupted],
    thinking,
  ],
  [
    'ignores an older prompt in the transcript',
    [started, prompt('B'), promptLine('A'), interrupted],
    thinking,
  ],
  [
    'knows a prompt that was queued behind a turn, though it is told after its end',
    [started, prompt('A'), stop('A'), prompt('A')],
    thinking,
  ],
  [
    'ignores an end that comes again in the next turn',
    [started, prompt('A'), stop('A'), prompt('B'), stop('A')],
    thinking,
  ],
  [
    'ignores a call that comes again after its end',
    [started, prompt('A'), asked('A', '1'), done('A', '1'), asked('A', '1')],
    thinking,
  ],
  [
    'ignores a request for a call that is over',
    [started, prompt('A'), asked('A', '1'), done('A', '1'), permission('A', '1')],
    thinking,
  ],
  [
    'ignores a decision about a call that is over',
    [
      started,
      prompt('A'),
      asked('A', '1'),
      done('A', '1'),
      stop('A'),
      prompt('B'),
      decided('1', false),
      10_000,
    ],
    thinking,
  ],
  [
    'ignores a late call of a turn that another followed',
    [started, prompt('A'), prompt('B'), asked('A', '1')],
    thinking,
  ],
  [
    'ignores failures told late',
    [
      started,
      prompt('A'),
      1000,
      sent({ kind: 'request_failed', error: 'x', status: 529, final: true, at: 1 }),
    ],
    thinking,
  ],

  [
    'goes on when a hook of the role sends the turn on',
    [started, prompt('A'), stop('A'), asked('A', '1')],
    bash,
  ],
  [
    'is reviewed while its end is held',
    [
      started,
      prompt('A'),
      hook({ kind: 'turn_ended', again: false, last: '', background: [], turn: 'A' }, { held: true }),
    ],
    { name: 'working', doing: 'review' },
  ],
  [
    'thinks again when the review finds something',
    [
      started,
      prompt('A'),
      hook({ kind: 'turn_ended', again: false, last: '', background: [], turn: 'A' }, { held: true }),
      {
        from: 'answer',
        event: event({ kind: 'turn_ended', again: false, last: '', background: [], turn: 'A' }),
        refused: true,
      },
    ],
    thinking,
  ],
  [
    'is idle when the review finds nothing',
    [
      started,
      prompt('A'),
      hook({ kind: 'turn_ended', again: false, last: '', background: [], turn: 'A' }, { held: true }),
      {
        from: 'answer',
        event: event({ kind: 'turn_ended', again: false, last: '', background: [], turn: 'A' }),
        refused: false,
      },
    ],
    idle,
  ],
  [
    'is not opened by a prompt that was refused',
    [
      started,
      {
        from: 'answer',
        event: event({ kind: 'prompted', text: 'x', origin: 'person', reads: [], turn: 'A' }),
        refused: true,
      },
      promptLine('A'),
    ],
    idle,
  ],

  [
    'stays at work for what is queued',
    [started, prompt('A'), prompt('A'), line({ kind: 'queued', text: 'next' }), stop('A')],
    thinking,
  ],
  [
    'works in the turn of a queued message',
    [
      started,
      prompt('A'),
      line({ kind: 'queued', text: 'next' }),
      stop('A'),
      line({ kind: 'unqueued', entered: false }),
      promptLine('B'),
    ],
    thinking,
  ],
  [
    'is idle after that turn',
    [
      started,
      prompt('A'),
      line({ kind: 'queued', text: 'next' }),
      stop('A'),
      line({ kind: 'unqueued', entered: false }),
      promptLine('B'),
      stop('B'),
    ],
    idle,
  ],
  [
    'thinks for as long as it likes in the turn of a queued message',
    [
      started,
      prompt('A'),
      line({ kind: 'queued', text: 'next' }),
      stop('A'),
      line({ kind: 'unqueued', entered: false }),
      promptLine('B'),
      60_000,
    ],
    thinking,
  ],
  [
    'is idle after Esc before any output in the turn of a queued message',
    [
      started,
      prompt('A'),
      line({ kind: 'queued', text: 'next' }),
      stop('A'),
      esc,
      line({ kind: 'unqueued', entered: false }),
      promptLine('B'),
      3000,
    ],
    idle,
  ],
  [
    'is idle when the queued one had gone in before',
    [
      started,
      prompt('A'),
      line({ kind: 'queued', text: 'next' }),
      stop('A'),
      line({ kind: 'unqueued', entered: true, text: 'next' }),
    ],
    idle,
  ],
  [
    'is idle when the queue was emptied unseen',
    [started, prompt('A'), line({ kind: 'queued', text: 'next' }), stop('A'), 10_000],
    idle,
  ],
  [
    'works in a queued turn that only its call tells of',
    [started, prompt('A'), stop('A'), asked('B', '1')],
    bash,
  ],
  [
    'is idle after a queued turn that only its end tells of',
    [started, prompt('A'), stop('A'), stop('B'), promptLine('B')],
    idle,
  ],

  [
    'is not moved by a subagent',
    [started, hook({ kind: 'tool_asked', call: call('9'), turn: 'A', subagent: sub })],
    idle,
  ],
  [
    'is blocked when a subagent needs a person',
    [
      started,
      prompt('A'),
      stop('A', ['a1']),
      hook({ kind: 'permission_asked', tool: 'Bash', input: {}, turn: 'A', subagent: sub }),
    ],
    blocked,
  ],
  [
    'and stays so when the main turn goes on',
    [
      started,
      prompt('A'),
      hook({ kind: 'permission_asked', tool: 'Bash', input: {}, turn: 'A', subagent: sub }),
      stop('A', ['a1']),
      prompt('B'),
    ],
    blocked,
  ],
  [
    'until the subagent ends',
    [
      started,
      prompt('A'),
      hook({ kind: 'permission_asked', tool: 'Bash', input: {}, turn: 'A', subagent: sub }),
      stop('A', ['a1']),
      hook({ kind: 'subagent_ended', last: '', subagent: sub }),
    ],
    idle,
  ],

  [
    'compacts',
    [started, hook({ kind: 'compacting', trigger: 'manual' })],
    { name: 'working', doing: 'compacting' },
  ],
  [
    'is idle after compacting',
    [
      started,
      hook({ kind: 'compacting', trigger: 'manual' }),
      hook({ kind: 'compacted', trigger: 'manual' }),
      hook({ kind: 'session_started', source: 'compact' }),
    ],
    idle,
  ],
  [
    'goes on with its turn after compacting',
    [
      started,
      prompt('A'),
      hook({ kind: 'compacting', trigger: 'auto' }),
      hook({ kind: 'session_started', source: 'compact' }),
    ],
    thinking,
  ],
  [
    'is idle after Esc in compacting',
    [started, hook({ kind: 'compacting', trigger: 'manual' }), esc, 3000],
    idle,
  ],

  [
    'is limited by the quota',
    [started, prompt('A'), failed('rate_limit', 'limit reached|1794779512')],
    { name: 'limited', what: 'the quota is used up', until: 1794779512000, sure: true },
  ],
  [
    'is limited by an outage',
    [started, prompt('A'), failed('server_error', 'API Error: 529')],
    { name: 'limited', what: 'the API has trouble', until: 60_030, sure: false },
  ],
  ['is free when the time is over', [started, prompt('A'), failed('server_error', ''), 60_000], idle],
  [
    'is free when a request succeeds',
    [
      started,
      prompt('A'),
      failed('server_error', ''),
      sent({ kind: 'requested', model: 'm', usage: born.usage, at: 31 }),
    ],
    idle,
  ],
  [
    'is not freed by a request from before',
    [
      started,
      prompt('A'),
      failed('authentication_failed', ''),
      sent({ kind: 'requested', model: 'm', usage: born.usage, at: 29 }),
    ],
    {
      name: 'error',
      what: 'Claude is not logged in',
      next: 'Type `agency credential set claude-token`, stop the agent and launch it again.',
    },
  ],
  [
    'tries again with the next prompt',
    [started, prompt('A'), failed('authentication_failed', ''), prompt('B')],
    thinking,
  ],
  [
    'is limited when told so',
    [started, { from: 'limits', what: 'the quota is used up', until: 5000 }],
    { name: 'limited', what: 'the quota is used up', until: 5000, sure: true },
  ],

  ['drains', [started, { from: 'host', draining: true }], { name: 'draining' }],
  [
    'needs a person also while it drains',
    [started, prompt('A'), asked('A', '1'), permission('A'), { from: 'host', draining: true }],
    blocked,
  ],
  [
    'drains when it says that it ends',
    [started, hook({ kind: 'session_ended', reason: 'prompt_input_exit' })],
    { name: 'draining' },
  ],
  [
    'begins anew after /clear',
    [
      started,
      prompt('A'),
      hook({ kind: 'session_ended', reason: 'clear' }),
      hook({ kind: 'session_started', source: 'clear' }),
    ],
    idle,
  ],
  [
    'has exited',
    [started, prompt('A'), asked('A', '1'), permission('A'), exit],
    { name: 'exited', code: 0, signal: null },
  ],
  ['is lost', [started, prompt('A'), lost], { name: 'lost' }],
  ['has exited if its code is found later', [started, lost, exit], { name: 'exited', code: 0, signal: null }],
  [
    'stays exited',
    [started, exit, lost, started, prompt('A'), clock],
    { name: 'exited', code: 0, signal: null },
  ],

  [
    'is unsupervised when it did not report',
    [30_000],
    { name: 'unsupervised', why: 'its first hook did not report within 30 s' },
  ],
  ['is not while there is time', [29_999], { name: 'starting' }],
  [
    'stays unsupervised when it reports too late',
    [30_000, started],
    { name: 'unsupervised', why: 'its first hook did not report within 30 s' },
  ],
  [
    'is unsupervised when a call ran unasked',
    [started, prompt('A'), ran('7')],
    { name: 'unsupervised', why: 'a tool ran without asking agency first' },
  ],
  [
    'is unsupervised when telemetry tells of one',
    [started, sent({ kind: 'ended', ended: { call: '7', ok: true, ran: true }, tool: 'Bash', session: 's' })],
    { name: 'unsupervised', why: 'a tool ran without asking agency first' },
  ],
  ['is supervised when an unasked call never ran', [started, prompt('A'), ran('7', false)], thinking],
  [
    'is supervised when the call was a subagent’s',
    [started, hook({ kind: 'tool_asked', call: call('9'), turn: 'A', subagent: sub }), ran('9')],
    idle,
  ],
  [
    'does not answer for another conversation',
    [
      started,
      sent({ kind: 'ended', ended: { call: '7', ok: true, ran: true }, tool: 'Bash', session: 'nested' }),
    ],
    idle,
  ],
]

test.each(table)('it %s', (_, steps, expected) => {
  const session = play(steps)
  expect(stateOf(session)).toEqual(expected)
  expect(schema.parse(session)).toEqual(session)
})

test('a reviewer looks first; a person is asked only if it passes the request on', () => {
  const reviewed = { ...born, reviewer: true }
  const before = play([started, prompt('A'), asked('A', '1'), permission('A', '1')], reviewed)
  expect(stateOf(before)).toEqual({ name: 'working', doing: 'permission review' })
  const passed: Signal = {
    from: 'approval',
    event: { kind: 'asked', approval: 'p', tool: 'Bash', call: '1' },
  }
  expect(stateOf(play([passed], before))).toEqual({ ...blocked, approval: 'p' })
  expect(stateOf(play([passed, permission('A', '1')], before))).toEqual({ ...blocked, approval: 'p' })
  const request = event({ kind: 'permission_asked', tool: 'Bash', input: {}, turn: 'A' })
  expect(stateOf(play([{ from: 'answer', event: request, call: '1', refused: false }], before))).toEqual(bash)
})

test('an unmanaged session has no state but its life', () => {
  const loose = { ...born, managed: false }
  const printed: Signal = { from: 'keeper', event: { kind: 'output' } }
  const session = play([printed, 100_000], loose)
  expect([stateOf(session), session.output]).toEqual([{ name: 'unmanaged' }, 10])
  expect(deadline(session)).toBeUndefined()
  expect(stateOf(play([exit], session))).toEqual({ name: 'exited', code: 0, signal: null })
})

test('usage is counted once, also after the end, and only ours', () => {
  const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, costUsd: 0.1 }
  const request = (at: number, session = 's') => sent({ kind: 'requested', model: 'm', usage, at, session })
  const session = play([
    started,
    request(1),
    request(1),
    request(2),
    request(3, 'nested'),
    exit,
    request(4),
    request(2),
  ])
  expect(session.usage).toEqual({ input: 3, output: 6, cacheRead: 9, cacheWrite: 12, costUsd: 0.3 })
})

test('background work and queued text keep a session from being quiet', () => {
  const turn = [started, prompt('A')]
  expect(isQuiet(play([...turn, stop('A')]))).toBe(true)
  expect(isQuiet(play([...turn, stop('A', ['a1'])]))).toBe(false)
  const over = hook({ kind: 'subagent_ended', last: '', subagent: sub })
  expect(isQuiet(play([...turn, stop('A', ['a1']), over]))).toBe(true)
})

test('the state has an age that other signals do not touch', () => {
  const session = play([started, 1000, hook({ kind: 'config_changed', source: 'user' }), 1000])
  expect([session.since, session.heard]).toEqual([10, 2020])
})

test('deadlines', () => {
  expect(deadline(born)).toBe(30_000)
  expect(deadline(play([started]))).toBeUndefined()
  expect(deadline(play([started, prompt('A'), esc]))).toBe(3030)
  expect(deadline(play([exit]))).toBeUndefined()
})

test('a prompt that Esc gave back lies in the input line until the next one', () => {
  const back = play([started, prompt('A'), esc, 3000])
  const key: Signal = { from: 'keeper', event: { kind: 'typed', key: 'text' } }
  expect([back.draft, play([prompt('B')], back).draft, play([key], back).draft]).toEqual([true, false, false])
})
