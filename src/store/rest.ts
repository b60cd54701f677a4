// Copies the write-ahead log into the file while nobody writes: SQLite would do it in the middle of some commit, and
// whoever waits for that one waits for the disk.
import type { Database } from './engine.ts'
import { isEngineError } from './fault.ts'

export type Rest = { wrote(): void; close(): void }

/** Milliseconds without a write. */
const quiet = 20
/** Fewer are not worth it. */
const worth = 50

/**
 * Where it fails the log keeps what it has, and the next time goes on from there. `passive`: nobody is waited for;
 * `truncate`: for the last one.
 */
export const intoFile = (db: Database, how: 'passive' | 'truncate'): void => {
  try {
    db.exec(`pragma wal_checkpoint(${how})`)
  } catch (error) {
    if (!isEngineError(error)) throw error
  }
}

export const restOf = (db: Database): Rest => {
  let writes = 0
  let timer: NodeJS.Timeout | undefined
  const look = (): void => {
    if (writes < worth) return
    writes = 0
    intoFile(db, 'passive')
  }
  return {
    wrote: () => {
      writes += 1
      if (timer === undefined) timer = setTimeout(look, quiet).unref()
      else timer.refresh()
    },
    close: () => clearTimeout(timer),
  }
}
