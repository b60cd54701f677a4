import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { failure } from '../base/error/fail.ts'
import { openLog } from '../base/log/open.ts'
import type { Fact } from '../journal/schema.ts'
import { openStore } from '../store/sqlite.ts'
import { type Ledger, ledgerOf } from './ledger.ts'

const fact = (n: number): Fact => ({ kind: 'state', type: 'test.happened', subject: 'test:1', data: { n } })

const setUp = async (fails: () => boolean) => {
  const directory = mkdtempSync(join(tmpdir(), 'agency-ledger-'))
  const log = openLog({
    file: join(directory, 'log'),
    component: 'host',
    level: () => 'info',
    now: () => new Date(0),
  })
  const store = await openStore({ file: ':memory:', reduce: () => () => undefined, now: () => new Date(0) })
  const batches: number[][] = []
  const append: typeof store.append = async (facts) => {
    batches.push(facts.map(({ data }) => data.n as number))
    return fails() ? Promise.reject(failure('store_full', { file: 'agency.db' })) : store.append(facts)
  }
  const ledger: Ledger = ledgerOf({ store: { ...store, append }, log, pause: 1 })
  const end = async () => {
    ledger.close()
    await store.close()
    log.close()
    rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
  const written = async () => (await store.events({ after: 0, limit: 1000 })).map(({ data }) => data.n)
  return { ledger, log, written, end, batches: () => batches }
}

test('whatever fails in between, every fact is written once and in order', async () => {
  const step = fc.oneof(fc.constant('record'), fc.constant('flush'), fc.constant('yield'))
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 40 }),
      fc.infiniteStream(fc.boolean()),
      async (steps, luck) => {
        let late = false
        const { ledger, written, end } = await setUp(() => !late && luck.next().value)
        try {
          let count = 0
          for (const each of steps) {
            if (each === 'record') ledger.record(fact(count++))
            else if (each === 'flush') await ledger.flush()
            else await new Promise(setImmediate)
          }
          late = true
          await ledger.flush()
          await ledger.flush()
          expect(await written()).toEqual(Array.from({ length: count }, (_, n) => n))
          expect(ledger.trouble()).toBeUndefined()
        } finally {
          await end()
        }
      },
    ),
    { numRuns: 50 },
  )
})

test('trouble is told with what to do, logged once, and passes by itself', async () => {
  let full = true
  const { ledger, log, end } = await setUp(() => full)
  onTestFinished(end)
  ledger.record(fact(0), fact(1))
  await ledger.flush()
  await ledger.flush()
  expect(ledger.trouble()).toMatch(/no space is left.*Free some space/)
  full = false
  await expect.poll(() => ledger.trouble(), { timeout: 20_000 }).toBeUndefined()
  expect(log.recent().map(({ message }) => message)).toEqual([
    'the journal cannot be written',
    'the journal is written again',
  ])
})

test('what is said in one breath is written as one: a host that dies has all of it or nothing', async () => {
  const { ledger, batches, end } = await setUp(() => false)
  onTestFinished(end)
  ledger.record(fact(1))
  ledger.record(fact(2), fact(3))
  await ledger.flush()
  expect(batches()).toEqual([[1, 2, 3]])
})
