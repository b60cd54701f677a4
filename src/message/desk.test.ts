import { expect, test } from 'vitest'
import { AgencyError } from '../base/error/fail.ts'
import { activity } from '../journal/rules.ts'
import type { Fact } from '../journal/schema.ts'
import { reduceOf } from '../state/rules.ts'
import { openStore } from '../store/sqlite.ts'
import { type Draft, openDesk } from './desk.ts'
import { isSettled } from './rules.ts'

const draft: Draft = { from: { kind: 'person', name: 'ann' }, to: 'coder', text: 'hello', lane: 'normal' }
const asked: Draft = { ...draft, from: { kind: 'agent', name: 'lead' }, expects: true }

const stage = async () => {
  let clock = 1_000
  const store = await openStore({ file: ':memory:', reduce: reduceOf, now: () => new Date(clock) })
  const facts: Promise<unknown>[] = []
  const record = (...some: readonly Fact[]): void => void facts.push(store.append(some))
  const open = () => openDesk({ store, record, now: () => clock++ })
  const written = () => Promise.all(facts)
  return { store, open, written, desk: await open() }
}

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'fine',
    (error: unknown) => (error instanceof AgencyError ? error.code : error),
  )

test('what was sent is there for the next host, in the order it was sent', async () => {
  const { desk, open } = await stage()
  const sent = [await desk.send(draft), await desk.send({ ...draft, to: 'other' }), await desk.send(draft)]
  const next = await open()
  expect(next.list().map(({ id }) => id)).toEqual(sent.map(({ id }) => id))
  expect(next.list('other')).toEqual([sent[1]])
  expect(next.box('coder').messages()).toHaveLength(2)
  expect(sent.map(({ waits }) => waits)).toEqual(sent.map(() => 'the agent is not running'))
})

test('under one id it is one message, also when it is sent at the same time or long after', async () => {
  const { desk, store, open, written } = await stage()
  const same = { ...draft, id: 'm1' }
  const [one, other] = await Promise.all([desk.send(same), desk.send(same)])
  expect(other).toEqual(one)
  expect(await codeOf(desk.send({ ...same, text: 'another' }))).toBe('message_conflict')
  for (const at of Array.from({ length: 60 }, (_, each) => `w${each}`)) {
    await desk.send({ ...draft, id: at })
    desk.withdraw(at, 'test')
  }
  desk.withdraw('m1', 'test')
  for (const at of Array.from({ length: 60 }, (_, each) => `v${each}`)) {
    await desk.send({ ...draft, id: at })
    desk.withdraw(at, 'test')
  }
  await written()
  const next = await open()
  expect(next.list().map(({ id }) => id)).not.toContain('m1')
  expect(await codeOf(next.send(same))).toBe('message_conflict')
  const events = await store.events({ subject: 'message:m1', after: 0, limit: 10 })
  expect(events.map(({ type }) => type)).toEqual(['message.queued', 'message.changed', 'message.forgotten'])
})

test('a response closes what was asked, only from who was asked; also if the host died between', async () => {
  const { desk, open, store } = await stage()
  const question = await desk.send({ ...asked, id: 'q' })
  const reply: Draft = {
    from: { kind: 'agent', name: 'coder' },
    to: 'lead',
    text: 'yes',
    lane: 'normal',
    closes: question.id,
  }
  const strange = [
    { ...reply, from: { kind: 'agent' as const, name: 'other' } },
    { ...reply, to: 'other' },
    { ...reply, from: { kind: 'person' as const, name: 'coder' } },
  ]
  for (const each of strange) expect(await codeOf(desk.send(each))).toBe('message_not_asked')
  expect(await codeOf(desk.send({ ...reply, closes: 'nothing' }))).toBe('not_found')
  const waiting = desk.until('q', ({ expects }) => expects?.closedBy !== undefined, 60_000)
  const response = await desk.send(reply)
  expect((await waiting).expects?.closedBy).toBe(response.id)
  // The reply is stored, the closing is not yet: what a host that died left.
  const left = await store.events({ subject: 'message:q', after: 0, limit: 10 })
  const half = await openStore({ file: ':memory:', reduce: reduceOf, now: () => new Date(0) })
  const first = left[0]
  if (first === undefined) expect.fail('nothing was stored')
  await half.append([first])
  const answers = await store.events({ subject: `message:${response.id}`, after: 0, limit: 1 })
  await half.append(answers)
  const later = await openDesk({ store: half, record: () => {}, now: () => 1 })
  expect(later.find('q').expects?.closedBy).toBe(response.id)
  expect((await open()).find(response.id).closes).toBe('q')
})

test('what a person is told has arrived when it is stored; nobody writes to himself', async () => {
  const { desk } = await stage()
  const { id } = await desk.send({ ...draft, expects: true })
  const reply: Draft = { ...draft, from: { kind: 'agent', name: 'coder' }, to: 'ann', closes: id }
  expect(isSettled(await desk.send(reply))).toBe(true)
  const self: Draft = { ...draft, from: { kind: 'agent', name: 'coder' } }
  expect(await codeOf(desk.send(self))).toBe('message_to_self')
})

test('only what is still here can be withdrawn; waiting ends with patience', async () => {
  const { desk } = await stage()
  const { id } = await desk.send(draft)
  expect((await desk.until(id, isSettled, 10)).life).toBe('queued')
  expect(await codeOf(desk.until('unknown', isSettled, 10))).toBe('not_found')
  expect(desk.withdraw(id, 'a change of mind')).toMatchObject({
    life: 'withdrawn',
    reason: 'a change of mind',
  })
  expect(() => desk.withdraw(id, 'again')).toThrow('cannot be withdrawn')
})

test('what goes along is stored with it, or not at all; whoever watches sees each change', async () => {
  const { desk, store } = await stage()
  const seen: string[] = []
  const stop = desk.watch(({ id, life }) => seen.push(`${id} ${life}`))
  const along = [activity('message.noted', 'm1', { by: 'test' })]
  await desk.send({ ...draft, id: 'm1', along })
  await desk.send({ ...draft, id: 'm1', along })
  const events = await store.events({ subject: 'message:m1', after: 0, limit: 10 })
  expect(events.map(({ type }) => type)).toEqual(['message.queued', 'message.noted'])
  const bad = { ...activity('message.noted', 'm2'), subject: 'not a subject' }
  expect(await codeOf(desk.send({ ...draft, id: 'm2', along: [bad] }))).not.toBe('fine')
  expect(await store.load('message:m2')).toBeUndefined()
  desk.withdraw('m1', 'test')
  stop()
  await desk.send({ ...draft, id: 'm3' })
  expect(seen).toEqual(['m1 queued', 'm1 withdrawn'])
})
