import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readText } from './read.ts'

let directory: string
const at = (name: string): string => join(directory, name)
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'agency-read-'))
})
afterAll(() => rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))

test('a text comes with its mode and owner', async () => {
  await writeFile(at('plain'), 'grüße\n')
  await chmod(at('plain'), 0o640)
  expect(await readText(at('plain'))).toEqual({ text: 'grüße\n', mode: 0o640, uid: process.getuid?.() })
})

test('a byte order mark is no part of the text', async () => {
  await writeFile(at('bom'), '\ufeffname: x')
  expect(await readText(at('bom'))).toMatchObject({ text: 'name: x' })
})

test('what is not there is missing', async () => {
  const missing = { trouble: 'missing', says: 'does not exist' }
  expect(await readText(at('nothing'))).toEqual(missing)
  expect(await readText(at('plain/below'))).toEqual(missing)
})

test('a FIFO, a directory, a device and a socket are refused at once', async () => {
  execFileSync('mkfifo', [at('fifo')])
  await mkdir(at('directory'))
  const server = createServer()
  await new Promise<void>((done) => server.listen(at('socket'), done))
  try {
    for (const file of [at('fifo'), at('directory'), '/dev/zero', at('socket')])
      expect(await readText(file)).toEqual({ trouble: 'irregular', says: 'is not a regular file' })
  } finally {
    await new Promise((done) => server.close(done))
  }
})

test('a link is followed only where it may be', async () => {
  await symlink(at('plain'), at('link'))
  expect(await readText(at('link'))).toMatchObject({ text: 'grüße\n' })
  expect(await readText(at('link'), { nofollow: true })).toMatchObject({ trouble: 'irregular' })
})

test('the limit counts in bytes and includes itself', async () => {
  await writeFile(at('large'), 'é'.repeat(512))
  expect(await readText(at('large'), { limit: 1024 })).toMatchObject({ text: 'é'.repeat(512) })
  expect(await readText(at('large'), { limit: 1023 })).toEqual({
    trouble: 'large',
    says: 'is larger than 0 KB',
  })
})

test('a file that says nothing of its size is still bounded', async () => {
  const large = { trouble: 'large', says: 'is larger than 1 KB' }
  const absent = { trouble: 'missing', says: 'does not exist' }
  const expected = process.platform === 'linux' ? large : absent
  expect(await readText('/proc/self/maps', { limit: 1024 })).toEqual(expected)
})

test('bytes that are no UTF-8 are not guessed at', async () => {
  await writeFile(at('latin'), Buffer.from([0x6e, 0xe9]))
  expect(await readText(at('latin'))).toEqual({ trouble: 'encoding', says: 'is not valid UTF-8 text' })
})
