// The queue between a real store and agents that take their time.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { AgencyError } from '../base/error/fail.ts'
import type { Log } from '../base/log/open.ts'
import type { Fact } from '../journal/schema.ts'
import { longestText } from '../message/schema.ts'
import { reduceOf } from '../state/rules.ts'
import { openStore } from '../store/sqlite.ts'
import { openBook } from './book.ts'
import { type Hand, queueOf } from './queue.ts'
import { changeFact } from './rules.ts'
import type { Task } from './schema.ts'

const quiet = (): void => {}
const log = { info: quiet, warn: quiet, error: quiet, debug: quiet } as unknown as Log
const patience = { timeout: 20_000, interval: 5 }

const stage = async (paused?: number) => {
  const root = mkdtempSync(join(tmpdir(), 'agency-queue-'))
  const store = await openStore({ file: ':memory:', reduce: reduceOf, now: () => new Date(0) })
  const record = (...facts: readonly Fact[]): void => void store.append(facts)
  const book = await openBook({ store, record })
  const claimed: string[] = []
  let held = Promise.resolve()
  let busy = false
  const hand = (): Hand => ({
    name: 'one',
    role: 'coder',
    labels: [],
    state: busy ? 'working' : 'idle',
    freeSince: busy ? undefined : 0,
    has: async () => false,
    credentials: async () => [],
    claim: async (waiting) => {
      claimed.push(waiting.id)
      busy = true
      await held
      const task: Task = { ...waiting, agent: 'one' }
      await store.append([changeFact(task)])
      book.put(task)
      return true
    },
  })
  const queue = queueOf({
    book,
    store,
    root,
    hands: () => [hand()],
    written: async () => true,
    now: () => 10,
    log,
    paused,
  })
  onTestFinished(async () => {
    queue.close()
    await store.close()
    rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  })
  return {
    queue,
    book,
    claimed,
    stored: async (id: string) => (await store.load(`task:${id}`))?.state,
    /** Claims take until this is called. */
    hold: (): (() => void) => {
      let release = quiet
      held = new Promise((resolve) => {
        release = resolve
      })
      return release
    },
  }
}

const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'fine',
    (error: unknown) => (error instanceof AgencyError ? error.code : error),
  )

test('taken back while an agent takes it: the agent has it, and is asked', async () => {
  const { queue, claimed, stored, hold } = await stage()
  const release = hold()
  const { id } = await queue.give({ prompt: 'x' })
  await expect.poll(() => claimed, patience).toEqual([id])
  const taken = queue.cancel(id)
  expect(queue.why(queue.find(id) as Task)).toBeUndefined()
  release()
  expect(await taken).toBeUndefined()
  expect(await stored(id)).toMatchObject({ agent: 'one', state: 'queued' })
})

test('taken back just before an agent would take it: none gets it', async () => {
  const { queue, claimed, stored } = await stage(1)
  const { id } = await queue.give({ prompt: 'x' })
  const taken = queue.cancel(id)
  queue.pause(false)
  expect(await taken).toMatchObject({ state: 'cancelled' })
  await expect.poll(() => stored(id), patience).toMatchObject({ state: 'cancelled' })
  expect(claimed).toEqual([])
})

test('paused since the first time; then the first of those that wait', async () => {
  const { queue, claimed } = await stage(3)
  queue.pause(true)
  expect(queue.paused()).toBe(3)
  const [low, high] = [await queue.give({ prompt: 'x' }), await queue.give({ prompt: 'x', priority: 1 })]
  expect(queue.waiting().map(({ id }) => id)).toEqual([high.id, low.id])
  expect(queue.why(low)).toBe('because tasks that wait are paused')
  queue.pause(false)
  expect(queue.paused()).toBeUndefined()
  await expect.poll(() => claimed, patience).toEqual([high.id])
  expect(queue.why(low)).toBe('for an agent: one is working')
  queue.pause(true)
  expect(queue.paused()).toBe(10)
})

test('what nobody could ever do, or may be given, is refused at once', async () => {
  const { queue } = await stage(1)
  const by = { agent: 'boss', roles: ['tester'] }
  expect(await refusal(queue.give({ prompt: 'x', select: { role: 'ops' } }))).toBe('nobody_fits')
  expect(await refusal(queue.give({ prompt: 'x', select: { role: 'ops' } }, by))).toBe('nobody_fits')
  expect(await refusal(queue.give({ prompt: 'x' }, by))).toBe('task_not_delegated')
  const project = { name: 'p', prompt: 'y'.repeat(longestText) }
  expect(await refusal(queue.give({ prompt: 'x', project }))).toBe('validation_error')
  expect(queue.waiting()).toEqual([])
  expect(await queue.give({ prompt: 'x' }, { agent: 'boss', roles: ['coder'] })).toMatchObject({
    by: { agent: 'boss', roles: ['coder'] },
  })
})
