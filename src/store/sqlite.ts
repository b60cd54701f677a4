// The store in one SQLite file, which several processes may share.
import { fail } from '../base/error/fail.ts'
import type { Reduce } from '../journal/schema.ts'
import { type Database, openDatabase, snapshot } from './engine.ts'
import { entryOf } from './entry.ts'
import { faultOf, isEngineError, resultOf } from './fault.ts'
import { settle } from './format.ts'
import { type Patiently, patience } from './patience.ts'
import { queueOf } from './queue.ts'
import { intoFile, restOf } from './rest.ts'
import type { Store } from './store.ts'
import { tablesOf } from './tables.ts'
import { writing } from './transaction.ts'

export type StoreOptions = {
  /** A path, or `:memory:`. */
  readonly file: string
  readonly reduce: (noun: string) => Reduce
  readonly now: () => Date
  /** How long to wait for other processes, in ms. */
  readonly patience?: number
}

const notADatabase = 26
/** So that a long prune lets others in between. */
const pruneStep = 2000

export const openStore = async (options: StoreOptions): Promise<Store> => {
  const { file, patience: limit = 20_000 } = options
  let db: Database | undefined
  try {
    db = await openDatabase(file)
    const patiently = patience(file, limit)
    await settle(db, file, patiently)
    const settled = db
    return await patiently(() => storeOn(settled, options, patiently))
  } catch (error) {
    db?.close()
    const cause = error instanceof Error && !isEngineError(error) ? error.cause : error
    if (resultOf(cause) === notADatabase) {
      fail('store_not_ours', { file, why: 'it is no SQLite file', cause })
    }
    throw isEngineError(error) ? faultOf(error, file) : error
  }
}

/** The store over a database that `settle` has made ours. */
export const storeOn = (db: Database, options: StoreOptions, patiently: Patiently): Store => {
  const { file, reduce, now } = options
  const tables = tablesOf(db, reduce)
  const rest = restOf(db)
  const queue = queueOf(db, writing(db, file), patiently, rest.wrote)
  let closed = false

  const write = async <T>(work: () => T, light?: boolean): Promise<T> =>
    closed ? fail('store_closed', {}) : queue.add(work, light)
  const read = async <T>(work: () => T): Promise<T> => (closed ? fail('store_closed', {}) : patiently(work))
  const stamp = (): string => now().toISOString()

  return {
    transact: (subject, decide) =>
      write(() => {
        const { facts, value } = decide(tables.load(subject))
        const at = stamp()
        for (const fact of facts) tables.record(at, entryOf(fact))
        return value
      }),
    append: async (facts) => {
      // By value, now: the caller may change its objects while they wait in the queue.
      const entries = facts.map(entryOf)
      if (entries.length === 0) return []
      // A session ends with the machine: what it did need only outlive our own processes.
      const light = entries.every(({ kind }) => kind === 'activity')
      return write(() => {
        const at = stamp()
        return entries.map((entry) => tables.record(at, entry))
      }, light)
    },
    load: (subject) => read(() => tables.load(subject)),
    list: (noun) => read(() => snapshot(db, () => ({ seq: tables.last(), kept: tables.list(noun) }))),
    outline: (noun, fields) => read(() => tables.outline(noun, fields)),
    events: (page) => read(() => (page.limit > 0 ? tables.events(page) : [])),
    prune: async (before) => {
      let total = 0
      for (;;) {
        const gone = await write(() => tables.prune(before, pruneStep))
        total += gone
        if (gone < pruneStep) return total
      }
    },
    trim: async (subject, most, keep) => {
      // Looked at first: most of the time there is nothing to write.
      if (!(await read(() => tables.holds(subject, most)))) return 0
      return write(() => {
        const found = tables.count(subject)
        return found <= most ? 0 : tables.trim(subject, found - keep)
      }, true)
    },
    close: async () => {
      if (closed) return
      closed = true
      await queue.idle()
      rest.close()
      // The package, unlike Node, keeps the files open after `close` until its statements are collected, so that
      // SQLite does not do this by itself.
      intoFile(db, 'truncate')
      db.close()
    },
  }
}
