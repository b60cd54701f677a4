// One host per root and machine: a lock that the kernel frees when its holder is gone, however it went.
import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { fail } from '../base/error/fail.ts'
import { type Database, openDatabase } from './engine.ts'
import { isBusy, isEngineError } from './fault.ts'

export type Lock = {
  /** False once the file was deleted or replaced: another host may then hold the new one. */
  held(): boolean
  release(): void
}

// A collected handle would be closed, and a closed handle frees the lock.
const handles = new Set<Database>()

const inode = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.ino

const isWritable = (directory: string): boolean => {
  try {
    accessSync(directory, constants.W_OK)
    return true
  } catch {
    // Whatever the reason, nothing can be made there.
    return false
  }
}

/** Undefined: another process, or this one, holds it. Whatever else is in the way is an error, and the
 * file is never replaced: nobody becomes host by accident.
 * Hazard: a process that opens and closes this file by itself frees its own lock (POSIX). */
export const takeLock = async (file: string): Promise<Lock | undefined> => {
  let db: Database | undefined
  try {
    db = await openDatabase(file)
    // `immediate`, not `exclusive`: for that one, contenders that come at the same moment would see each
    // other's shared locks, and all of them would lose.
    db.exec('pragma busy_timeout = 0; pragma journal_mode = memory; begin immediate')
  } catch (error) {
    db?.close()
    if (isBusy(error)) return undefined
    if (!isEngineError(error)) throw error
    if (!isWritable(dirname(file))) fail('store_read_only', { file, cause: error })
    fail('lock_unusable', { file, why: error.message, cause: error })
  }
  const handle = db as Database
  const taken = inode(file)
  handles.add(handle)
  return {
    held: () => handles.has(handle) && inode(file) === taken,
    release: () => {
      if (handles.delete(handle)) handle.close()
    },
  }
}
