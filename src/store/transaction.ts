// One write transaction, whole or not at all, and the truth about which.
import { statSync } from 'node:fs'
import { failure } from '../base/error/fail.ts'
import { type Database, rollback } from './engine.ts'
import { type EngineError, isIo } from './fault.ts'

/** `light`: it need not be on the disk, only out of this process. */
export type Write = <T>(work: () => T, light?: boolean) => T

// A failed commit can leave a complete commit in the write-ahead log, not valid now but valid after a
// crash. The next commit takes its place there, so one is made: then it is certain that nothing came of it.
const voided = (db: Database): boolean => {
  try {
    db.exec('begin immediate')
    db.exec("update meta set value = value + 1 where name = 'voided'")
    db.exec('commit')
    return true
  } catch {
    rollback(db)
    return false
  }
}

const inode = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.ino

export const writing = (db: Database, file: string): Write => {
  const memory = file === ':memory:'
  const opened = memory ? undefined : inode(file)
  let synced = true
  // What is written later and waits for the disk takes all before it along.
  const wait = (disk: boolean): void => {
    if (synced !== disk) db.exec(`pragma synchronous = ${disk ? 'full' : 'normal'}`)
    synced = disk
  }
  return (work, light = false) => {
    // SQLite would go on writing into a deleted file, and everything it acknowledged would be lost.
    if (!memory && inode(file) !== opened) throw failure('store_moved', { file })
    wait(!light)
    db.exec('begin immediate')
    let value: ReturnType<typeof work>
    try {
      value = work()
    } catch (error) {
      rollback(db)
      throw error
    }
    try {
      db.exec('commit')
    } catch (error) {
      rollback(db)
      if (!isIo(error) || voided(db)) throw error
      throw failure('store_unsure', { file, why: (error as EngineError).message, cause: error })
    }
    return value
  }
}
