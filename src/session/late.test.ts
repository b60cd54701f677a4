// Hooks and keys come in order. The transcript lags behind them, telemetry lags and is in no order, and a hook may be
// told again. Whatever the lag, at the end the state is the true one.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { HookEvent } from '../driver/schema.ts'
import { hear, launched, stateOf } from './rules.ts'
import type { Session, SessionState, Signal } from './schema.ts'

const born = launched({ id: 's', agent: 'coder', managed: true, reviewer: false, at: 0, reportMs: 30_000 })
const usage = { input: 10, output: 1, cacheRead: 0, cacheWrite: 0, costUsd: 0.001 }

type Permission = 'none' | 'yes' | 'no'
type Turn = {
  /** Said by a person, or queued during the turn before it. */
  readonly queued: boolean
  readonly tools: readonly Permission[]
  readonly subagent: boolean
  readonly end: 'stop' | 'escape'
}
type Last = 'over' | 'thinking' | 'tool' | 'blocked'

const turns = fc.array(
  fc.record<Turn>({
    queued: fc.boolean(),
    tools: fc.array(fc.constantFrom<Permission>('none', 'yes', 'no'), { maxLength: 3 }),
    subagent: fc.boolean(),
    end: fc.constantFrom('stop', 'escape'),
  }),
  { minLength: 1, maxLength: 5 },
)

type Told = { readonly by: 'spine' | 'transcript' | 'telemetry'; readonly signal: Signal }
type Story = { readonly told: readonly Told[]; readonly truth: SessionState; readonly requests: number }

/** What really happened, and in which order each channel tells of it. */
const storyOf = (wanted: readonly Turn[], last: Last): Story => {
  const told: Told[] = []
  let requests = 0
  const hook = (event: object, more: object = {}) =>
    told.push({
      by: 'spine',
      signal: {
        from: 'hook',
        event: { session: 's', cwd: '/', transcript: '/t', ...event } as HookEvent,
        ...more,
      },
    })
  const line = (event: object) =>
    told.push({ by: 'transcript', signal: { from: 'transcript', event } as Signal })
  const sent = (event: object) =>
    told.push({
      by: 'telemetry',
      signal: { from: 'telemetry', event: { session: 's', ...event } } as Signal,
    })
  const request = () => {
    requests += 1
    sent({ kind: 'requested', model: 'm', usage, at: requests })
  }
  hook({ kind: 'session_started', source: 'startup' })
  let running: string | undefined
  let state: SessionState = { name: 'idle' }
  for (const [place, { queued, tools, subagent, end }] of wanted.entries()) {
    const turn = `turn-${place}`
    const text = `text ${place}`
    const final = place === wanted.length - 1 ? last : 'over'
    if (queued && running !== undefined) {
      hook({ kind: 'prompted', text, origin: 'person', reads: [], turn: running })
      line({ kind: 'queued', text })
      hook({ kind: 'turn_ended', again: false, last: '', background: [], turn: running })
      line({ kind: 'unqueued', entered: false })
    } else {
      if (running !== undefined)
        hook({ kind: 'turn_ended', again: false, last: '', background: [], turn: running })
      hook({ kind: 'prompted', text, origin: 'person', reads: [], turn })
    }
    sent({ kind: 'prompted', midTurn: false, turn })
    line({ kind: 'prompted', text, origin: 'person', turn })
    running = turn
    state = { name: 'working', doing: 'thinking' }
    let refused = false
    for (const [step, permission] of tools.entries()) {
      if (refused) break
      const call = { id: `${turn}-${step}`, tool: 'Bash', input: {} }
      request()
      line({ kind: 'called', call })
      hook({ kind: 'tool_asked', call, turn })
      if (permission !== 'none')
        hook({ kind: 'permission_asked', tool: 'Bash', input: {}, turn }, { call: call.id })
      if (permission !== 'none')
        sent({
          kind: 'decided',
          call: call.id,
          tool: 'Bash',
          accepted: permission === 'yes',
          source: 'user_x',
          person: true,
        })
      refused = permission === 'no'
      const ended = { call: call.id, ok: !refused, ran: !refused }
      if (!refused) {
        if (subagent) {
          const inner = { id: `${call.id}-sub`, tool: 'Bash', input: {} }
          hook({ kind: 'tool_asked', call: inner, turn, subagent: { id: 'a', type: 'x' } })
          sent({ kind: 'ended', ended: { call: inner.id, ok: true, ran: true }, tool: 'Bash' })
          hook({ kind: 'tool_done', call: inner, turn, subagent: { id: 'a', type: 'x' } })
        }
        hook({ kind: 'tool_done', call, turn })
        sent({ kind: 'ended', ended, tool: 'Bash' })
      }
      line({ kind: 'ended', ended })
      if (refused) line({ kind: 'interrupted' })
    }
    if (refused) {
      running = undefined
      state = { name: 'idle' }
    } else if (final === 'tool' || final === 'blocked') {
      const call = { id: `${turn}-open`, tool: 'Read', input: {} }
      hook({ kind: 'tool_asked', call, turn })
      line({ kind: 'called', call })
      state = { name: 'working', doing: 'tool', tool: 'Read' }
      if (final === 'blocked') {
        hook({ kind: 'permission_asked', tool: 'Read', input: {}, turn }, { call: call.id })
        state = { name: 'blocked', tool: 'Read' }
      }
    } else if (final === 'over' && end === 'escape') {
      const silent = tools.length === 0 && !queued
      if (!silent) line({ kind: 'said', text: 'x' })
      told.push({ by: 'spine', signal: { from: 'keeper', event: { kind: 'typed', key: 'escape' } } })
      if (!silent) line({ kind: 'interrupted' })
      running = undefined
      state = { name: 'idle' }
    } else if (final === 'over' && place === wanted.length - 1) {
      hook({ kind: 'turn_ended', again: false, last: '', background: [], turn })
      state = { name: 'idle' }
    }
  }
  return { told, truth: state, requests }
}

/** The spine keeps its order; each other item slips behind by its lag. */
const delivered = (story: Story, lags: readonly number[], repeats: readonly number[]): readonly Signal[] => {
  const slots: Signal[][] = [[]]
  const lag = (place: number) => lags[place % lags.length] ?? 0
  const waiting: { by: Told['by']; slot: number; signal: Signal }[] = []
  let after = 0
  for (const [place, { by, signal }] of story.told.entries()) {
    if (by === 'spine') slots.push([signal])
    else {
      const slot = slots.length - 1 + lag(place)
      // The transcript is one file: no line overtakes another.
      after = by === 'transcript' ? Math.max(after, slot) : after
      waiting.push({ by, slot: by === 'transcript' ? after : slot, signal })
    }
  }
  for (const { slot, signal } of waiting) slots[Math.min(slot, slots.length - 1)]?.push(signal)
  const hooks = slots.map(([first]) => first)
  for (const place of repeats) {
    const from = place % hooks.length
    const again = hooks[from]
    if (again?.from === 'hook') slots[Math.min(from + (place % 7), slots.length - 1)]?.push(again)
  }
  return slots.flat()
}

const end = (signals: readonly Signal[]): Session => {
  const heard = signals.reduce<Session>((session, signal, place) => hear(session, signal, place + 1), born)
  return hear(heard, { from: 'clock' }, 1_000_000)
}

test('late and repeated signals do not change where it ends', () => {
  fc.assert(
    fc.property(
      turns,
      fc.constantFrom<Last>('over', 'thinking', 'tool', 'blocked'),
      fc.array(fc.nat(12), { minLength: 1, maxLength: 12 }),
      fc.array(fc.nat(60), { maxLength: 4 }),
      (wanted, last, lags, repeats) => {
        const story = storyOf(wanted, last)
        const session = end(delivered(story, lags, repeats))
        expect(stateOf(session)).toEqual(story.truth)
        expect(session.usage.input).toBe(story.requests * usage.input)
      },
    ),
    { numRuns: 1500 },
  )
})

const noise: fc.Arbitrary<Signal> = fc.oneof(
  turns.chain((wanted) => fc.constantFrom(...storyOf(wanted, 'blocked').told.map(({ signal }) => signal))),
  fc.constantFrom<Signal>(
    { from: 'clock' },
    { from: 'keeper', event: { kind: 'exited', code: null, signal: 'SIGKILL' } },
    { from: 'keeper', event: { kind: 'lost' } },
    { from: 'host', draining: true },
    { from: 'limits', what: 'x' },
    { from: 'approval', event: { kind: 'asked', approval: 'p', tool: 'Bash' } },
    { from: 'approval', event: { kind: 'answered', approval: 'p', refused: true } },
    { from: 'transcript', event: { kind: 'ended', ended: { call: 'unasked', ok: true, ran: true } } },
  ),
)

test('in any order: an end stays an end, an escape from supervision is never forgotten, time never runs back', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(noise, fc.nat(100_000)), { maxLength: 40 }), (steps) => {
      let session = born
      for (const [signal, at] of steps) {
        const next = hear(session, signal, at)
        if (session.over?.how === 'exited') expect(stateOf(next)).toEqual(stateOf(session))
        if (session.over !== undefined) expect(next.over).toBeDefined()
        if (session.unsupervised !== undefined) expect(next.unsupervised).toBe(session.unsupervised)
        expect(next.heard).toBeGreaterThanOrEqual(session.heard)
        expect(next.since).toBeGreaterThanOrEqual(session.since)
        session = next
      }
    }),
    { numRuns: 500 },
  )
})
