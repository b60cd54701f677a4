// Sessions of the real CLI, as they were recorded.
import { expect, test } from 'vitest'
import { values } from '../../test/samples/read.ts'
import { claude } from '../driver/claude/driver.ts'
import { hear, isOver, launched, stateOf } from './rules.ts'
import type { Signal } from './schema.ts'

const born = launched({ id: 's', agent: 'coder', managed: true, reviewer: false, at: 0, reportMs: 30_000 })
const driver = claude('2.1.325')
const recorded = (name: string): readonly Signal[] =>
  values(`hook/${name}.jsonl`).flatMap((body) => {
    const read = driver.readHook(body)
    return read.ok ? [{ from: 'hook' as const, event: read.event }] : []
  })

/** Each state once, as it changes. */
const course = (signals: readonly Signal[]): readonly string[] => {
  let session = born
  const names: string[] = []
  for (const [place, signal] of signals.entries()) {
    session = hear(session, signal, place + 1)
    const state = stateOf(session)
    const text = state.name === 'working' ? (state.tool ?? state.doing) : state.name
    if (names.at(-1) !== text) names.push(text)
  }
  expect(isOver(session)).toBe(false)
  return names
}

test.each([
  ['subagent', ['idle', 'thinking', 'Agent', 'thinking', 'Bash', 'blocked', 'thinking', 'idle', 'draining']],
  [
    'background',
    [
      'idle',
      'thinking',
      'Agent',
      'thinking',
      'Bash',
      'blocked',
      'thinking',
      'idle',
      'thinking',
      'idle',
      'draining',
    ],
  ],
  ['overload', ['idle', 'thinking', 'limited', 'draining']],
])('the recorded session %s', (name, expected) => {
  // Foreground or not, a request of a subagent needs the person.
  const spoken = recorded(name).filter(
    (signal) =>
      !(signal.from === 'hook' && signal.event.kind === 'permission_asked' && signal.event.subagent),
  )
  expect(course(spoken)).toEqual(expected)
})

test('the recorded terminal session: queued messages, dialogs, leaving', () => {
  expect(course(recorded('terminal'))).toEqual([
    // Only the transcript would tell that the second message went into the first turn.
    ...['idle', 'thinking', 'Bash', 'thinking', 'idle'],
    ...['thinking', 'Bash', 'blocked', 'thinking', 'idle'],
    ...['thinking', 'Bash', 'blocked', 'thinking', 'idle'],
    ...['thinking', 'idle', 'draining'],
  ])
})
