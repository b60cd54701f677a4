import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { maskOf } from '../secret/rules.ts'
import { type LogOptions, openLog } from './open.ts'
import { redact } from './rules.ts'

const at = '2026-01-01T00:00:00.000Z'
const setUp = (options: Partial<LogOptions> = {}) => {
  const directory = mkdtempSync(join(tmpdir(), 'agency-log-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  const file = join(directory, 'agency.log')
  const open = () =>
    openLog({ file, component: 'host', level: () => 'info', now: () => new Date(at), ...options })
  const lines = () =>
    readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  return { directory, file, open, lines }
}

test('a line has its time, level, component, message and facts; lesser levels are left out', () => {
  const { open, lines, file } = setUp()
  const log = open()
  log.debug('not written')
  log.info('first', { pid: 1, message: 'a fact cannot change what the line says' })
  log.error('second\nline')
  const expected = [
    { timestamp: at, level: 'info', component: 'host', message: 'first', pid: 1 },
    { timestamp: at, level: 'error', component: 'host', message: 'second\nline' },
  ]
  expect(lines()).toEqual(expected)
  expect(log.recent()).toEqual(expected)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('the last thousand lines are always there, and not many more', () => {
  const { open, lines, directory } = setUp()
  const first = open()
  for (let n = 0; n < 1700; n += 1) first.info(`line ${n}`)
  first.close()
  const second = open()
  for (let n = 1700; n < 3000; n += 1) {
    second.info(`line ${n}`)
    if (n % 97 === 0) expect(lines().length).toBeLessThanOrEqual(1250)
  }
  expect(
    lines()
      .slice(-1000)
      .map(({ message }) => message),
  ).toEqual(Array.from({ length: 1000 }, (_, n) => `line ${n + 2000}`))
  expect(existsSync(join(directory, 'agency.log.new'))).toBe(false)
  expect(second.recent()).toHaveLength(100)
})

test('a line cut short by a crash does not spoil the next', () => {
  const { open, file } = setUp()
  open().info('before')
  appendFileSync(file, '{"timestamp":"2026')
  open().info('after')
  const [before, torn, after] = readFileSync(file, 'utf8').trim().split('\n')
  expect([before, torn, after].map((line) => line?.includes('message'))).toEqual([true, false, true])
})

test('what cannot be written is counted and said later; the caller never fails', () => {
  const { directory, open, lines } = setUp()
  rmSync(directory, { recursive: true, maxRetries: 20, retryDelay: 100 })
  const log = open()
  log.info('lost')
  log.info('lost too')
  expect(existsSync(directory)).toBe(false)
  mkdirSync(directory)
  log.info('back')
  expect(lines()).toMatchObject([{ message: 'back', lines_dropped_before: 2 }])
  expect(log.recent().map(({ message }) => message)).toEqual(['lost', 'lost too', 'back'])
})

test('a secret is in no line, in no form', () => {
  const secret = 'marked+secret/0123456789'
  const { open, file } = setUp({ secrets: [secret, ''] })
  const log = open()
  const encoded = Buffer.from(secret).toString('base64')
  log.info(`it is ${secret}`, { url: `/x?token=${encodeURIComponent(secret)}`, list: [{ deep: encoded }] })
  log.info('a header', {
    headers: { Authorization: 'Bearer another', cookie: 'c' },
    said: 'authorization: Bearer abc.def',
  })
  const text = readFileSync(file, 'utf8')
  for (const form of [secret, encoded, encodeURIComponent(secret), 'another', 'abc.def', '"c"'])
    expect(text).not.toContain(form)
})

test('what is no secret stays as it is', () => {
  const value = { tokens: 12, name: 'x', list: [1, null, true], nested: { a: 'b' } }
  expect(redact(value, maskOf(['a-secret']))).toEqual(value)
})

test('a log that is a FIFO is not waited for', () => {
  const { open, file } = setUp()
  execFileSync('mkfifo', [file])
  const log = open()
  log.info('lost')
  expect(log.recent()).toHaveLength(1)
  rmSync(file)
  log.info('kept')
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ message: 'kept', lines_dropped_before: 1 })
  log.close()
})
