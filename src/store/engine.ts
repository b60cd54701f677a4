// SQLite as Node has it, or the same API from a package where Node has none. Loaded on first use only.
import { closeSync, openSync } from 'node:fs'
import { failure } from '../base/error/fail.ts'

type Value = string | number | null
export type Row = Readonly<Record<string, unknown>>
export type Statement = {
  run(...values: Value[]): { changes: number | bigint; lastInsertRowid: number | bigint }
  get(...values: Value[]): Row | undefined
  all(...values: Value[]): Row[]
}
export type Database = { exec(sql: string): void; prepare(sql: string): Statement; close(): void }
type Engine = { DatabaseSync: new (file: string) => Database }

// Node 22 calls it experimental, on the stderr that people read, each time a process loads it.
const builtin = (): Engine | undefined => {
  const { emitWarning } = process
  process.emitWarning = () => undefined
  try {
    return process.getBuiltinModule('node:sqlite') as unknown as Engine | undefined
  } finally {
    process.emitWarning = emitWarning
  }
}

// Never both in one process: two copies of SQLite do not see each other's locks.
const load = async (): Promise<Engine> => {
  const found = builtin()
  if (found) return found
  try {
    return (await import('@photostructure/sqlite')) as unknown as Engine
  } catch (error) {
    throw failure('store_engine', {
      why: error instanceof Error ? error.message : String(error),
      cause: error,
    })
  }
}

/** Only its owner may read a new file. SQLite gives the files it puts beside it the same mode. */
const create = (file: string): void => {
  try {
    // `wx` and nothing else: to open and close a file that SQLite has open in this process would drop
    // the locks that SQLite holds on it.
    closeSync(openSync(file, 'wx', 0o600))
  } catch {
    // It exists already, or SQLite says in a moment why it cannot be opened.
  }
}

export const rollback = (db: Database): void => {
  try {
    db.exec('rollback')
  } catch {
    // After most failures SQLite has rolled back by itself, and there is nothing left to undo.
  }
}

/** Everything that `work` reads is of one moment. */
export const snapshot = <T>(db: Database, work: () => T): T => {
  db.exec('begin')
  try {
    return work()
  } finally {
    rollback(db)
  }
}

export const openDatabase = async (file: string): Promise<Database> => {
  const { DatabaseSync } = await load()
  if (file !== ':memory:') create(file)
  return new DatabaseSync(file)
}
