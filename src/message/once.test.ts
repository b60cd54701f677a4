// The host may die at any moment; the keeper and the agent go on. Each message is typed once and enters once.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { HookEvent } from '../driver/schema.ts'
import { hear as hearSession, launched } from '../session/rules.ts'
import type { Session, Signal } from '../session/schema.ts'
import { next } from './next/rules.ts'
import { hear, isSettled } from './rules.ts'
import { lanes, type Message, type MessageSignal } from './schema.ts'

type Step =
  | { readonly kind: 'deliver'; readonly dies: 'no' | 'before typing' | 'after typing' }
  | { readonly kind: 'turn ends' }
  | { readonly kind: 'hooks arrive' }
  | { readonly kind: 'escape works' }
  | { readonly kind: 'time'; readonly ms: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('deliver' as const),
    dies: fc.constantFrom('no' as const, 'no' as const, 'before typing' as const, 'after typing' as const),
  }),
  fc.constant<Step>({ kind: 'turn ends' }),
  fc.constant<Step>({ kind: 'hooks arrive' }),
  fc.constant<Step>({ kind: 'escape works' }),
  fc.record({ kind: fc.constant('time' as const), ms: fc.constantFrom(10, 4000, 20_000) }),
)

const place = { session: 's', cwd: '/', transcript: '/t' }

/** An agent that takes one prompt at a time and queues the rest, and a host that follows it. */
const world = (messages: readonly Message[]) => {
  const typed: string[] = []
  const entered: string[] = []
  const queue: string[] = []
  const pending: Signal[] = []
  let running: string | undefined
  let turns = 0
  let at = 1
  let stored = [...messages]
  let session: Session = {
    ...launched({ id: 's', agent: 'coder', managed: true, reviewer: false, at: 0, reportMs: 1000 }),
    started: true,
  }
  const tell = (signal: Signal | MessageSignal, only?: string) => {
    stored = stored.map((one) =>
      only === undefined || one.id === only ? hear(one, signal, session, at) : one,
    )
    if (!('reason' in signal) && only === undefined) session = hearSession(session, signal as Signal, at)
  }
  const hook = (event: object) => pending.push({ from: 'hook', event: { ...place, ...event } as HookEvent })
  const line = (event: object) => pending.push({ from: 'transcript', event } as Signal)
  const header = (id: string) => ({ id, sender: 'ann' })
  const enter = (id: string, queued: boolean) => {
    turns += 1
    running = `turn-${turns}`
    entered.push(id)
    if (!queued)
      hook({ kind: 'prompted', text: '', origin: 'message', reads: [], header: header(id), turn: running })
    line({ kind: 'prompted', text: '', origin: 'message', header: header(id), turn: running })
  }
  const type = (id: string) => {
    typed.push(id)
    if (running === undefined) return enter(id, false)
    hook({ kind: 'prompted', text: '', origin: 'message', reads: [], header: header(id), turn: running })
    line({ kind: 'queued', text: id, header: header(id) })
    queue.push(id)
  }
  const leave = () => {
    running = undefined
    const id = queue.shift()
    if (id === undefined) return
    line({ kind: 'unqueued', entered: false })
    enter(id, true)
  }
  const arrive = () => {
    for (const signal of pending.splice(0)) {
      tell(signal)
      at += 1
    }
  }
  /** A host that starts asks the keeper about everything that is only `sent`. */
  const restart = () => {
    for (const { id, life } of stored)
      if (life === 'sent' && !typed.includes(id)) tell({ from: 'untyped' }, id)
  }
  const deliver = (dies: 'no' | 'before typing' | 'after typing') => {
    const found = next(stored, session, at)
    if (found.kind === 'escape') return tell({ from: 'escaping' }, found.message.id)
    if (found.kind !== 'send') return
    tell({ from: 'sending', session: 's' }, found.message.id)
    if (dies === 'before typing') return restart()
    type(found.message.id)
    if (dies === 'after typing') restart()
  }
  return {
    typed,
    entered,
    stored: () => stored,
    play: (one: Step) => {
      at += one.kind === 'time' ? one.ms : 1
      if (one.kind === 'time') tell({ from: 'clock' })
      if (one.kind === 'deliver') deliver(one.dies)
      if (one.kind === 'hooks arrive') arrive()
      if (one.kind === 'turn ends' && running !== undefined) {
        hook({ kind: 'turn_ended', again: false, last: '', background: [], turn: running })
        leave()
      }
      if (one.kind === 'escape works' && running !== undefined) {
        line({ kind: 'interrupted' })
        leave()
      }
    },
  }
}

test('whenever the host dies, each message is typed once, enters once and ends', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...lanes), { minLength: 1, maxLength: 4 }),
      fc.array(step, { maxLength: 60 }),
      (kinds, steps) => {
        const messages = kinds.map(
          (lane, at): Message => ({
            id: `m${at}`,
            from: { kind: 'person', name: 'ann' },
            to: 'coder',
            text: 'hello',
            lane,
            at,
            life: 'queued',
          }),
        )
        const { typed, entered, stored, play } = world(messages)
        for (const one of steps) {
          play(one)
          expect(new Set(typed).size).toBe(typed.length)
        }
        // Left alone, everything ends.
        for (const _ of Array.from({ length: 12 })) {
          play({ kind: 'deliver', dies: 'no' })
          play({ kind: 'hooks arrive' })
          play({ kind: 'turn ends' })
          play({ kind: 'hooks arrive' })
          play({ kind: 'time', ms: 20_000 })
        }
        const ids = messages.map(({ id }) => id)
        expect([typed.toSorted(), entered.toSorted()]).toEqual([ids, ids])
        expect(stored().map(({ id, life }) => [id, life])).toEqual(ids.map((id) => [id, 'ended']))
        expect(stored().every(isSettled)).toBe(true)
      },
    ),
    { numRuns: 500 },
  )
})
