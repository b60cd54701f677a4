import { expect, test } from 'vitest'
import { AgencyError } from '../base/error/fail.ts'
import { maskOf } from '../base/secret/rules.ts'
import { reduceOf } from '../state/rules.ts'
import { openStore } from '../store/sqlite.ts'
import type { Store } from '../store/store.ts'
import { type Asking, openApprovals, remembered } from './desk.ts'
import type { Answering } from './schema.ts'

const patience = { timeout: 20_000, interval: 10 }
const asking: Asking = {
  agent: 'coder',
  session: 's1',
  hook: 'h1',
  tool: 'Bash',
  input: { command: 'touch x' },
  call: 'c1',
  terminal: true,
}
const allow: Answering = { verdict: 'allow', by: 'ann', via: 'cli' }
const deny: Answering = { verdict: 'deny', by: 'bob', via: 'api' }

const stage = async () => {
  const clock = { now: 1_000 }
  const opened = await openStore({ file: ':memory:', reduce: reduceOf, now: () => new Date(clock.now) })
  const disk = { full: false, failed: 0 }
  const store: Store = {
    ...opened,
    transact: async (subject, decide) => {
      if (!disk.full) return opened.transact(subject, decide)
      disk.failed += 1
      throw new Error('the disk is full')
    },
  }
  const warnings: string[] = []
  const open = () =>
    openApprovals({
      store,
      now: () => clock.now,
      log: { warn: (text) => void warnings.push(text) },
      mask: async () => maskOf(['hunter2hunter2']),
      again: 5,
    })
  return { store, clock, disk, warnings, open, desk: await open() }
}

const raised = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'fine',
    (error: unknown) => (error instanceof AgencyError ? [error.code, error.details.how] : error),
  )

test('the same hook is the same approval, at the same time, later, and for the next host', async () => {
  const { desk, open, store } = await stage()
  const [one, other] = await Promise.all([desk.ask(asking), desk.ask(asking)])
  expect(other).toEqual(one)
  expect(await desk.ask(asking)).toEqual(one)
  const next = await open()
  expect(await next.ask(asking)).toEqual(one)
  expect(next.list()).toEqual([one])
  expect((await desk.ask({ ...asking, hook: 'h2' })).id).not.toBe(one.id)
  const events = await store.events({ subject: `approval:${one.id}`, after: 0, limit: 10 })
  expect(events.map(({ type }) => type)).toEqual(['approval.asked'])
})

test('of twenty answers at once one wins, and the others are told whose', async () => {
  const { desk, store } = await stage()
  const { id } = await desk.ask(asking)
  const waiting = desk.answered(id)
  const answers = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? deny : allow))
  const came = await Promise.all(answers.map((answer) => raised(desk.answer(id, answer))))
  expect(came).toEqual(['fine', ...Array(19).fill(['approval_settled', 'denied by bob'])])
  expect((await waiting).answer).toMatchObject({ verdict: 'deny', by: 'bob' })
  const events = await store.events({ subject: `approval:${id}`, after: 0, limit: 10 })
  expect(events.map(({ type }) => type)).toEqual(['approval.asked', 'approval.answered'])
})

test('what was answered while nobody asked is there when the hook is asked again', async () => {
  const { desk, open } = await stage()
  const { id } = await desk.ask(asking)
  await desk.answer(id, { ...deny, reason: 'Not now.' })
  const next = await open()
  expect(await next.ask(asking)).toMatchObject({ id, life: 'sent', answer: { reason: 'Not now.' } })
  expect(await next.answered(id)).toMatchObject({ life: 'sent' })
})

test('what an answer that we sent has come to is told, and kept', async () => {
  const { desk, open } = await stage()
  const { id } = await desk.ask(asking)
  await desk.tell(id, { from: 'closed' })
  expect(await raised(desk.answer(id, allow))).toEqual(['approval_settled', 'the agent asks no more'])
  await desk.tell(id, { from: 'decided', accepted: true, person: true })
  expect(await raised(desk.answer(id, deny))).toEqual(['approval_settled', 'allowed in the dialog'])
  expect((await open()).find(id)).toMatchObject({
    life: 'confirmed',
    receipt: { won: 'dialog', verdict: 'allow' },
  })
})

test('when its time is over it is denied, also if the host was away, and an answer is too late', async () => {
  const { desk, open, clock } = await stage()
  const { id } = await desk.ask({ ...asking, patience: 60_000 })
  const second = await desk.ask({ ...asking, hook: 'h2', patience: 60_000 })
  desk.close()
  clock.now = 61_000
  const next = await open()
  // The clock has not struck yet: the answer itself finds out.
  expect(await raised(next.answer(id, allow))).toEqual([
    'approval_settled',
    'denied because nobody answered in time',
  ])
  expect(await next.answered(second.id)).toMatchObject({
    life: 'expired',
    answer: { verdict: 'deny', via: 'expiry' },
  })
  next.close()
})

test('expiry that cannot be stored is tried again; nothing is allowed meanwhile', async () => {
  const { desk, disk, clock, warnings } = await stage()
  const [late, other] = [
    await desk.ask({ ...asking, patience: 100 }),
    await desk.ask({ ...asking, hook: 'h2', patience: 1e9 }),
  ]
  disk.full = true
  clock.now += 100
  await expect.poll(() => disk.failed, patience).toBeGreaterThan(30)
  expect(warnings).toHaveLength(1)
  disk.full = false
  expect(await raised(desk.answer(late.id, allow))).toEqual([
    'approval_settled',
    'denied because nobody answered in time',
  ])
  expect([desk.find(other.id).life, warnings.length]).toEqual(['asked', 1])
})

test('a session that is over leaves nothing that waits; others are not touched', async () => {
  const { desk } = await stage()
  const [mine, other] = [await desk.ask(asking), await desk.ask({ ...asking, session: 's2' })]
  await desk.over('s1', 'the session ended')
  expect(desk.find(mine.id)).toMatchObject({ life: 'gone', why: 'the session ended' })
  expect(desk.find(other.id).life).toBe('asked')
})

test('while the disk is full nothing is answered; what the session told is stored later', async () => {
  const { desk, disk, warnings } = await stage()
  const { id } = await desk.ask(asking)
  disk.full = true
  expect(await raised(desk.ask({ ...asking, hook: 'h2' }))).toEqual(new Error('the disk is full'))
  expect(await raised(desk.answer(id, allow))).toEqual(new Error('the disk is full'))
  expect(desk.find(id).life).toBe('asked')
  const told = desk.tell(id, { from: 'ran' })
  await expect.poll(() => warnings.length, patience).toBe(1)
  disk.full = false
  await told
  expect(desk.find(id)).toMatchObject({ life: 'confirmed' })
})

test('secrets are not kept: not in the input, not in a rule', async () => {
  const { desk, store } = await stage()
  const secret = await desk.ask({ ...asking, input: { command: 'curl -H hunter2hunter2 x.org' } })
  expect(secret.rule).toBeUndefined()
  expect(JSON.stringify(await store.events({ after: 0, limit: 10 }))).not.toContain('hunter2hunter2')
})

test('the latest that are settled stay at hand, what waits stays, and "always" as long as its session', async () => {
  const { desk, open, clock } = await stage()
  const open1 = await desk.ask({ ...asking, hook: 'waits' })
  const kept = await desk.ask({ ...asking, hook: 'always' }, { ...allow, always: 'session' })
  await desk.tell(kept.id, { from: 'ran' })
  for (let at = 0; at < 230; at++) {
    clock.now += 1
    const { id } = await desk.ask({ ...asking, hook: `x${at}`, session: 's3' })
    await desk.tell(id, { from: 'closed' })
  }
  await expect.poll(() => desk.list().length, patience).toBeLessThanOrEqual(204)
  expect(desk.list().map(({ id }) => id)).toEqual(expect.arrayContaining([open1.id, kept.id]))
  expect(remembered(desk, { ...asking, hook: 'new' })).toBe(true)
  expect(remembered(desk, { ...asking, hook: 'new', input: { command: 'touch y' } })).toBe(false)
  expect((await open()).list().length).toBeLessThanOrEqual(204)
})
