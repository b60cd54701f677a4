import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { reduce } from '../../test/kit/reduce.ts'
import { tool } from '../../test/kit/tool.ts'
import { AgencyError } from '../base/error/fail.ts'
import { fact } from '../journal/rules.ts'
import { openDatabase } from './engine.ts'
import { settle, steps } from './format.ts'
import { patience } from './patience.ts'
import { openStore } from './sqlite.ts'
import { outlineOf } from './tables.ts'

const temporary = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'agency-format-'))
  onTestFinished(() => rmSync(directory, { recursive: true, maxRetries: 20, retryDelay: 100 }))
  return join(directory, 'agency.db')
}
const open = (file: string) => openStore({ file, reduce, now: () => new Date(0) })
const raised = fact('counter.raised', 'x', { who: 'a', step: 1 })

const made = async (file: string, facts = 1): Promise<void> => {
  const store = await open(file)
  await store.append(Array.from({ length: facts }, () => raised))
  await store.close()
}
const edited = async (file: string, sql: string): Promise<void> => {
  const db = await openDatabase(file)
  db.exec(sql)
  db.close()
}
const refusal = async (work: Promise<unknown>): Promise<AgencyError> => {
  const error = await work.then(
    () => new Error('it was not refused'),
    (reason) => reason,
  )
  if (!(error instanceof AgencyError)) throw error
  return error
}

test('a new file is for its owner only, durable and in the present format', async () => {
  const file = temporary()
  const store = await open(file)
  await store.append([raised])
  for (const suffix of ['', '-wal', '-shm']) expect(statSync(file + suffix).mode & 0o777).toBe(0o600)
  await store.close()
  const db = await openDatabase(file)
  expect(db.prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'wal' })
  expect(db.prepare('pragma application_id').get()).toEqual({ application_id: 0x61676e63 })
  expect(db.prepare('select * from meta order by name').all()).toEqual([
    { name: 'format', value: 2 },
    { name: 'voided', value: 0 },
  ])
  db.close()
})

test.each<[string, string, (file: string) => Promise<void> | void]>([
  [
    'store_newer',
    'a newer format',
    async (file) => {
      await made(file)
      await edited(file, "update meta set value = 99 where name = 'format'")
    },
  ],
  ['store_not_ours', "another program's tables", (file) => edited(file, 'create table mine (a)')],
  ['store_not_ours', "another program's id", (file) => edited(file, 'pragma application_id = 7')],
  ['store_not_ours', 'text', (file) => writeFileSync(file, 'dear diary\n'.repeat(1000))],
  ['store_not_ours', 'a few bytes', (file) => writeFileSync(file, 'hello')],
  [
    'store_damaged',
    'no named format',
    async (file) => {
      await made(file)
      await edited(file, 'delete from meta')
    },
  ],
  [
    'store_damaged',
    'half a file',
    async (file) => {
      await made(file, 500)
      truncateSync(file, 8192)
    },
  ],
  [
    'store_damaged',
    'pages of garbage',
    async (file) => {
      await made(file, 500)
      const bytes = readFileSync(file)
      writeFileSync(file, bytes.fill(0xa5, 4096))
    },
  ],
])('%s: %s is refused and left as it was', async (code, _, prepare) => {
  const file = temporary()
  await prepare(file)
  const before = readFileSync(file)
  const error = await refusal(open(file))
  expect(error.code).toBe(code)
  expect(error.message).toContain(file)
  expect(readFileSync(file).equals(before)).toBe(true)
})

test('a newer format is named with both numbers', async () => {
  const file = temporary()
  await made(file)
  await edited(file, "update meta set value = 99 where name = 'format'")
  expect((await refusal(open(file))).message).toBe(
    `${file} has format 99; this agency knows formats up to 2.`,
  )
})

test('an outline of tasks reads no task', async () => {
  const file = temporary()
  await made(file)
  const db = await openDatabase(file)
  onTestFinished(() => db.close())
  const asked = outlineOf('task', ['agent', 'at', 'state', 'endedAt'])
  expect(db.prepare(`explain query plan ${asked}`).get()?.detail).toContain('USING COVERING INDEX state_task')
})

const upgraded = async (file: string, ...later: string[]): Promise<void> => {
  const db = await openDatabase(file)
  try {
    await settle(db, file, patience(file, 20_000), [...steps, ...later])
  } finally {
    db.close()
  }
}

test('an old file is brought to a later format with all it holds, and is then refused by the old agency', async () => {
  const file = temporary()
  await made(file, 3)
  await upgraded(file, 'alter table state add column note text', "update state set note = 'upgraded'")
  await upgraded(file, 'alter table state add column note text', "update state set note = 'upgraded'")
  const db = await openDatabase(file)
  expect(db.prepare('select subject, seq, note from state').all()).toEqual([
    { subject: 'counter:x', seq: 3, note: 'upgraded' },
  ])
  db.close()
  expect((await refusal(open(file))).code).toBe('store_newer')
})

test('a step that fails leaves the old format whole', async () => {
  const file = temporary()
  await made(file, 3)
  await expect(upgraded(file, 'alter table state add column note text', 'no sql')).rejects.toThrow()
  const store = await open(file)
  onTestFinished(() => store.close())
  expect(await store.load('counter:x')).toMatchObject({ seq: 3 })
})

test('damage that shows later is reported by whoever meets it', async () => {
  const file = temporary()
  await made(file, 3000)
  const bytes = readFileSync(file)
  // The middle of the file is the journal; what is read when it is opened is near the beginning.
  writeFileSync(file, bytes.fill(0xa5, 20 * 4096, 60 * 4096))
  const store = await open(file)
  onTestFinished(() => store.close())
  expect((await refusal(store.events({ after: 0, limit: 1e6 }))).code).toBe('store_damaged')
})

test.each<[string, (file: string) => string]>([
  [
    'a directory',
    (file) => {
      mkdirSync(file)
      return file
    },
  ],
  ['no parent directory', (file) => join(file, 'missing', 'agency.db')],
])('%s cannot be opened, and it says so', async (_, path) => {
  expect((await refusal(open(path(temporary())))).code).toBe('store_unreachable')
})

test('an empty file becomes a store, as a missing one does', async () => {
  const file = temporary()
  writeFileSync(file, '')
  await made(file)
  expect(statSync(file).size).toBeGreaterThan(0)
})

const run = async (args: readonly string[]): Promise<{ exit: number; out: string; err: string }> => {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let out = ''
  let err = ''
  child.stdout.on('data', (data) => {
    out += data
  })
  child.stderr.on('data', (data) => {
    err += data
  })
  const [exit] = await once(child, 'close')
  return { exit, out, err }
}

/** Permissions do not bind root. */
const asNobody = async <T>(work: () => Promise<T>): Promise<T> => {
  if (process.getuid?.() !== 0) return work()
  process.seteuid?.(65534)
  try {
    return await work()
  } finally {
    process.seteuid?.(0)
  }
}

test('a file that may only be read is refused, not opened for reading only', async () => {
  const file = temporary()
  expect(await run([tool('appender'), file, 'a', '1'])).toMatchObject({ exit: 0 })
  // In its directory everything may be written, so that nothing else is in the way.
  chmodSync(join(file, '..'), 0o777)
  chmodSync(file, 0o444)
  await openDatabase(':memory:')
  const error = await asNobody(() => refusal(open(file)))
  expect([error.code, error.message]).toEqual(['store_read_only', `${file} cannot be written.`])
})

test.each([1, 2, 3])('8 processes that open the same new file at once all get it (%i)', async () => {
  const file = temporary()
  const each = Array.from({ length: 8 }, (_, n) => run([tool('appender'), file, `w${n}`, '1']))
  const runs = await Promise.all(each)
  expect(runs.map(({ exit, err }) => [exit, err])).toEqual(each.map(() => [0, '']))
  const totals = runs.map(({ out }) => JSON.parse(out)[0] as number)
  expect(totals.sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
})
