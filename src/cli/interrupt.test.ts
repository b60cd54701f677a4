import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { AgencyError, failure } from '../base/error/fail.ts'
import { exitOf, interruptible } from './interrupt.ts'

const never = new Promise<never>(() => {})
const codeOf = (work: Promise<unknown>): Promise<number | string> =>
  work.then(
    () => 'ended',
    (error) => (error instanceof AgencyError ? exitOf(error) : String(error)),
  )

test('work that ends is cleaned up after, and listens no more', async () => {
  const signals = new EventEmitter()
  let cleaned = 0
  const work = interruptible(Promise.resolve(7), signals, async () => void cleaned++)
  expect([await work, cleaned, signals.listenerCount('SIGINT')]).toEqual([7, 1, 0])
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
  ['unheard', 141],
])('%s: exit %i, after cleaning up', async (name, code) => {
  const signals = new EventEmitter()
  let cleaned = 0
  const ended = codeOf(interruptible(never, signals, async () => void cleaned++))
  signals.emit(name, name)
  expect([await ended, cleaned]).toEqual([code, 1])
})

test('a second signal does not wait for cleaning up', async () => {
  const signals = new EventEmitter()
  const ended = codeOf(interruptible(never, signals, () => never))
  signals.emit('SIGINT', 'SIGINT')
  signals.emit('SIGINT', 'SIGINT')
  signals.emit('SIGINT', 'SIGINT')
  expect(await ended).toBe(130)
})

test('any other failure keeps its own code', () => {
  expect(exitOf(failure('validation_error', { what: 'x' }))).toBe(2)
})
