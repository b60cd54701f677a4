import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { tool } from '../../test/kit/tool.ts'
import { takeLock } from './lock.ts'

const temporary = (): string => {
  const directory = mkdtempSync(join(tmpdir(), 'agency-lock-'))
  onTestFinished(() => rmSync(directory, { recursive: true, maxRetries: 20, retryDelay: 100 }))
  return join(directory, 'host.lock')
}

type Child = ChildProcessByStdio<Writable, Readable, null>
const contend = async (file: string): Promise<{ child: Child; said: string }> => {
  const child: Child = spawn(process.execPath, [tool('holder'), file], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = await once(child.stdout, 'data')
  return { child, said: String(line).trim() }
}
const gone = async (child: Child, end: () => unknown): Promise<void> => {
  const exit = once(child, 'exit')
  end()
  await exit
}

test('of 20 processes that want it at once exactly one gets it', async () => {
  const file = temporary()
  const all = await Promise.all(Array.from({ length: 20 }, () => contend(file)))
  expect(all.map(({ said }) => said).sort()).toEqual(['held', ...Array(19).fill('taken')])
  expect(await takeLock(file)).toBeUndefined()
})

test.each<[string, (child: Child) => unknown]>([
  ['killed', (child) => child.kill('SIGKILL')],
  ['done', (child) => child.stdin.end()],
])('it is free once its holder is %s', async (_, end) => {
  const file = temporary()
  const { child, said } = await contend(file)
  expect([said, await takeLock(file)]).toEqual(['held', undefined])
  await gone(child, () => end(child))
  const lock = await takeLock(file)
  expect(lock?.held()).toBe(true)
  expect((await contend(file)).said).toBe('taken')
  lock?.release()
  lock?.release()
  expect(lock?.held()).toBe(false)
  expect((await contend(file)).said).toBe('held')
})

test('a second taker in the same process does not get it, and does not free it', async () => {
  const file = temporary()
  const lock = await takeLock(file)
  expect(await takeLock(file)).toBeUndefined()
  expect((await contend(file)).said).toBe('taken')
  expect(lock?.held()).toBe(true)
  lock?.release()
})

test('a holder whose file was deleted can tell, and another can take the new one', async () => {
  const file = temporary()
  const lock = await takeLock(file)
  onTestFinished(() => lock?.release())
  rmSync(file)
  expect(lock?.held()).toBe(false)
  expect((await contend(file)).said).toBe('held')
  expect(lock?.held()).toBe(false)
})

test('garbage written into a held lock frees it for nobody', async () => {
  const file = temporary()
  const { child } = await contend(file)
  writeFileSync(file, 'garbage '.repeat(1000))
  await expect(takeLock(file)).rejects.toMatchObject({ code: 'lock_unusable' })
  expect(child.exitCode).toBeNull()
})

test.each<[string, (file: string) => void]>([
  ['text', (file) => writeFileSync(file, 'pid 123\n')],
  ['a directory', (file) => mkdirSync(file)],
  ['a link into nothing', (file) => symlinkSync('/nonexistent/agency/host.lock', file)],
])('%s in its place is an error that names it, and stays', async (_, prepare) => {
  const file = temporary()
  prepare(file)
  await expect(takeLock(file)).rejects.toMatchObject({
    code: 'lock_unusable',
    message: expect.stringContaining(file),
  })
})

test('the lock holds nothing: an empty file is used as it is and stays empty', async () => {
  const file = temporary()
  writeFileSync(file, '')
  const lock = await takeLock(file)
  expect(lock?.held()).toBe(true)
  lock?.release()
  expect(readFileSync(file)).toHaveLength(0)
})
