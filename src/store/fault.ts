// What SQLite's result codes mean to people.
import { readFileSync, statSync } from 'node:fs'
import { type AgencyError, failure } from '../base/error/fail.ts'

export type EngineError = Error & { readonly errcode?: number; readonly systemErrno?: number }

export const isEngineError = (error: unknown): error is EngineError =>
  error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR'

// The package gives no code with what goes wrong in `all`, only SQLite's own words.
const words: Readonly<Record<string, number>> = {
  'database is locked': 5,
  'attempt to write a readonly database': 8,
  'disk I/O error': 10,
  'database disk image is malformed': 11,
  'database or disk is full': 13,
  'unable to open database file': 14,
  'locking protocol': 15,
  'file is not a database': 26,
}

/** The low byte is the result; the rest says in which call. */
export const resultOf = (error: unknown): number => {
  if (!isEngineError(error)) return 0
  return error.errcode === undefined ? (words[error.message] ?? 1) : error.errcode & 0xff
}

const noSpace = 28
// The file that processes share memory by could not grow. Node does not tell why; it is space, as a rule.
const sharedSize = 4874
/** Another connection is in the way: waiting helps. 15 is a lost race for the lock of the write-ahead log. */
export const isBusy = (error: unknown): boolean => [5, 15].includes(resultOf(error))
export const isIo = (error: unknown): boolean => resultOf(error) === 10
export const isFull = (error: unknown): boolean => {
  if (!isEngineError(error)) return false
  if (resultOf(error) === 13) return true
  const { errcode, systemErrno } = error
  return isIo(error) && (systemErrno === undefined ? errcode === sharedSize : systemErrno === noSpace)
}

/** Linux tells who holds the write lock of a write-ahead log: byte 120 of the file beside it. */
export const holderOf = (file: string): string => {
  try {
    const { ino } = statSync(`${file}-shm`)
    const held = readFileSync('/proc/locks', 'utf8').matchAll(/ WRITE (\d+) \S+:(\d+) 120 /g)
    const pids = [...held].filter(([, , inode]) => Number(inode) === ino).map(([, pid]) => pid)
    return pids[0] === undefined ? 'another program' : `process ${pids[0]}`
  } catch {
    // No such files outside Linux: the name of the holder is a courtesy.
    return 'another program'
  }
}

export const faultOf = (error: EngineError, file: string, seconds = 0): AgencyError => {
  const facts = { file, why: error.message, cause: error }
  if (isFull(error)) return failure('store_full', facts)
  if (isBusy(error)) return failure('store_busy', { ...facts, holder: holderOf(file), seconds })
  switch (resultOf(error)) {
    case 8:
      return failure('store_read_only', facts)
    case 10:
      return failure('store_io', facts)
    case 11:
    case 26:
      return failure('store_damaged', facts)
    case 14:
      return failure('store_unreachable', facts)
    default:
      return failure('internal', { what: `SQLite: ${error.message}`, cause: error })
  }
}
