// What was queued while a turn ran: it begins without a hook, all of it at once, and in the place of what was refused.
import { expect, test } from 'vitest'
import type { HookEvent, TranscriptEvent } from '../driver/schema.ts'
import { hear, launched, stateOf } from './rules.ts'
import type { Session, SessionState, Signal } from './schema.ts'

const born = launched({ id: 's', agent: 'coder', managed: true, reviewer: false, at: 0, reportMs: 30_000 })
const hook = (event: object, more: object = {}): Signal => ({
  from: 'hook',
  event: { session: 's', cwd: '/', transcript: '/t', ...event } as HookEvent,
  ...more,
})
const line = (event: TranscriptEvent): Signal => ({ from: 'transcript', event })
const started = hook({ kind: 'session_started', source: 'startup' })
const prompt = (turn: string) => hook({ kind: 'prompted', text: 'go', origin: 'person', reads: [], turn })
const stop = (turn: string) => hook({ kind: 'turn_ended', again: false, last: '', background: [], turn })
const asked = (turn: string, id: string) =>
  hook({ kind: 'tool_asked', call: { id, tool: 'Bash', input: {} }, turn })
const permission = (turn: string, call: string) =>
  hook({ kind: 'permission_asked', tool: 'Bash', input: {}, turn }, { call })
const promptLine = (turn: string) => line({ kind: 'prompted', text: 'go', origin: 'person', turn })
const queuedLine = (turn: string) =>
  line({ kind: 'prompted', text: 'go', origin: 'person', turn, waited: true })
const ran = (call: string, did: boolean) => line({ kind: 'ended', ended: { call, ok: true, ran: did } })
const interrupted = line({ kind: 'interrupted' })

const idle: SessionState = { name: 'idle' }
const thinking: SessionState = { name: 'working', doing: 'thinking' }

/** A number is time that passes, told by the clock. */
test.each<[string, (Signal | number)[], SessionState]>([
  [
    'takes all that was queued as one turn, which goes by the id of the last',
    [
      started,
      prompt('A'),
      promptLine('A'),
      prompt('A'),
      stop('A'),
      queuedLine('B'),
      queuedLine('C'),
      stop('C'),
    ],
    idle,
  ],
  [
    'knows that turn by its end, though the prompts are told later',
    [
      started,
      prompt('A'),
      promptLine('A'),
      prompt('A'),
      stop('A'),
      stop('C'),
      queuedLine('B'),
      queuedLine('C'),
    ],
    idle,
  ],
  [
    'takes the line of an interruption for the turn before a prompt that was queued',
    [started, prompt('A'), promptLine('A'), asked('A', 'c'), queuedLine('B'), ran('c', false), interrupted],
    thinking,
  ],
  [
    'waits for a queued prompt, though the line of the turn before comes late',
    [started, prompt('A'), stop('A'), prompt('A'), promptLine('A')],
    thinking,
  ],
  [
    'does not wait for a queued prompt that was in a turn which is over',
    [
      ...[started, prompt('A'), promptLine('A'), prompt('A'), stop('A'), stop('B')],
      ...[line({ kind: 'queued', text: 'go' }), stop('C'), queuedLine('B')],
    ],
    idle,
  ],
  [
    'waits for a queued prompt that thinks for long',
    [started, prompt('A'), promptLine('A'), prompt('A'), stop('A'), queuedLine('B'), 60_000],
    thinking,
  ],
  [
    'keeps the dialog of a turn that took the place of a refused one before anybody told',
    [
      ...[started, prompt('A'), promptLine('A'), asked('A', 'c'), permission('A', 'c')],
      ...[asked('B', 'd'), permission('B', 'd'), queuedLine('B'), interrupted],
    ],
    { name: 'blocked', tool: 'Bash' },
  ],
])('it %s', (_, steps, expected) => {
  let at = 0
  const session = steps.reduce<Session>((before, step) => {
    at += typeof step === 'number' ? step : 10
    return hear(before, typeof step === 'number' ? { from: 'clock' } : step, at)
  }, born)
  expect(stateOf(session)).toEqual(expected)
})
