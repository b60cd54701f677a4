// Keys from a terminal in raw mode.
import { feed, type Key, type Reading, settle } from './rules.ts'

const escapeMs = 50

/** Puts the terminal into raw mode and calls `press` for each key, until the returned function is called. */
export const readKeys = (press: (key: Key) => void): (() => void) => {
  let reading: Reading = { rest: '' }
  let timer: NodeJS.Timeout | undefined
  const take = (read: { keys: Key[]; reading: Reading }): void => {
    reading = read.reading
    for (const key of read.keys) press(key)
  }
  process.stdin.setRawMode?.(true)
  process.stdin.setEncoding('utf8')
  process.stdin.on('data', (piece: string) => {
    clearTimeout(timer)
    take(feed(reading, piece))
    if (reading.rest !== '') timer = setTimeout(() => take(settle(reading)), escapeMs)
  })
  // The terminal is gone: SIGHUP tells the rest.
  process.stdin.on('error', () => undefined)
  process.stdin.resume()
  return () => {
    clearTimeout(timer)
    process.stdin.setRawMode?.(false)
    process.stdin.pause()
  }
}
