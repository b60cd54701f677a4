import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { activity, fact } from '../journal/rules.ts'
import { openDatabase } from './engine.ts'
import { settle } from './format.ts'
import { patience } from './patience.ts'
import { storeOn } from './sqlite.ts'

const [disk, light] = [2, 1]

test('what decides waits for the disk; activity alone waits for nothing, and beside a fact it waits as that does', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agency-light-'))
  const file = join(folder, 'db')
  const db = await openDatabase(file)
  const patiently = patience(file, 20_000)
  await settle(db, file, patiently)
  const levels: unknown[] = []
  const now = (): Date => {
    levels.push(db.prepare('pragma synchronous').get()?.synchronous)
    return new Date(0)
  }
  const store = storeOn(db, { file, reduce: () => () => ({}), now }, patiently)
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  })
  const [did, decided] = [activity('tool.called', 't'), fact('task.accepted', 't')]
  await store.append([did])
  await store.append([did, decided])
  await store.append([did])
  await store.transact('task:t', () => ({ facts: [did], value: 0 }))
  expect(levels.splice(0)).toEqual([light, disk, light, disk])
  await Promise.all([store.append([did]), store.append([decided]), store.append([did])])
  expect(levels).toEqual([disk, disk, disk])
})
