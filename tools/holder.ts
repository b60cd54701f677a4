// Takes the lock FILE, says whether it got it, and keeps it until its stdin ends.
import { AgencyError } from '../src/base/error/fail.ts'
import { takeLock } from '../src/store/lock.ts'

try {
  const lock = await takeLock(process.argv[2] ?? '')
  console.log(lock ? 'held' : 'taken')
  if (lock) process.stdin.resume().on('end', () => lock.release())
} catch (error) {
  console.log(error instanceof AgencyError ? error.code : error)
}
