import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { reduce } from '../../test/kit/reduce.ts'
import { fact } from '../journal/rules.ts'
import type { Event } from '../journal/schema.ts'
import { type Database, openDatabase } from './engine.ts'
import { settle } from './format.ts'
import { patience } from './patience.ts'
import { storeOn } from './sqlite.ts'
import type { Store } from './store.ts'
import { verify } from './verify.ts'

const setUp = async (limit = 20_000): Promise<{ file: string; db: Database; store: Store }> => {
  const directory = mkdtempSync(join(tmpdir(), 'agency-fault-'))
  const file = join(directory, 'agency.db')
  const db = await openDatabase(file)
  const patiently = patience(file, limit)
  await settle(db, file, patiently)
  const store = storeOn(db, { file, reduce, now: () => new Date(0) }, patiently)
  onTestFinished(async () => {
    await store.close()
    rmSync(directory, { recursive: true, maxRetries: 20, retryDelay: 100 })
  })
  return { file, db, store }
}
const note = (id: string, size = 1) => fact('note.written', id, { text: 'x'.repeat(size) })
const everything = (store: Store): Promise<readonly Event[]> => store.events({ after: 0, limit: 1000 })
const limitPages = (db: Database, more: number): void => {
  const { page_count } = db.prepare('pragma page_count').get() as { page_count: number }
  db.exec(`pragma max_page_count = ${page_count + more}`)
}

test('without space nothing is recorded, and with space again it is', async () => {
  const { file, db, store } = await setUp()
  await store.append([note('kept')])
  limitPages(db, 3)
  await expect(store.append([note('small'), note('large', 500_000)])).rejects.toMatchObject({
    code: 'store_full',
    message: `Not recorded: no space is left for ${file}.`,
  })
  expect((await everything(store)).map(({ subject }) => subject)).toEqual(['note:kept'])
  expect(await verify(store, reduce)).toEqual([])
  limitPages(db, 10_000)
  expect(await store.append([note('large', 500_000)])).toHaveLength(1)
  expect(await verify(store, reduce)).toEqual([])
})

test('what is too large for the space left takes nobody along', async () => {
  const { db, store } = await setUp()
  await store.append([note('kept')])
  limitPages(db, 20)
  const outcomes = await Promise.allSettled([
    store.append([note('a')]),
    store.append([note('large', 500_000)]),
    store.append([note('b')]),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect((await everything(store)).map(({ subject }) => subject)).toEqual(['note:kept', 'note:a', 'note:b'])
})

test('filled to the brim, every acknowledged fact is there and every refused one is not', async () => {
  const { db, store } = await setUp()
  limitPages(db, 30)
  const outcomes: [string, string][] = []
  for (let n = 0; n < 60; n += 1) {
    const outcome = await store.append([note(`n${n}`, 2000 + n)]).then(
      () => 'recorded',
      ({ code }) => code,
    )
    outcomes.push([`note:n${n}`, outcome])
  }
  expect(new Set(outcomes.map(([, outcome]) => outcome))).toEqual(new Set(['recorded', 'store_full']))
  const recorded = outcomes.filter(([, outcome]) => outcome === 'recorded').map(([subject]) => subject)
  expect((await everything(store)).map(({ subject }) => subject)).toEqual(recorded)
  expect(await verify(store, reduce)).toEqual([])
})

test('a lock that another does not let go is named with its holder', async () => {
  const { file, store } = await setUp(200)
  const other = await openDatabase(file)
  onTestFinished(() => other.close())
  other.exec('begin immediate')
  const holder = process.platform === 'linux' ? `process ${process.pid}` : 'another program'
  await expect(store.append([note('a')])).rejects.toMatchObject({
    code: 'store_busy',
    message: expect.stringContaining(`Not recorded: ${holder} has kept ${file} locked`),
  })
  expect(await everything(store)).toEqual([])
})

test('waiting for a lock does not stop the process, which here lets it go itself', async () => {
  const { file, store } = await setUp()
  const other = await openDatabase(file)
  onTestFinished(() => other.close())
  other.exec('begin immediate')
  const waiting = store.append([note('b')])
  setTimeout(() => other.exec('rollback'), 50)
  expect(await waiting).toHaveLength(1)
})

test('a file that was deleted or replaced takes no more facts, and takes them when it is back', async () => {
  const { file, store } = await setUp()
  await store.append([note('a')])
  renameSync(file, `${file}.away`)
  await expect(store.append([note('b')])).rejects.toMatchObject({ code: 'store_moved' })
  const stranger = await openDatabase(file)
  stranger.close()
  await expect(store.append([note('c')])).rejects.toMatchObject({ code: 'store_moved' })
  renameSync(`${file}.away`, file)
  await store.append([note('d')])
  expect((await everything(store)).map(({ subject }) => subject)).toEqual(['note:a', 'note:d'])
})
