import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeDirectory } from './directory.ts'

let base: string
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'agency-directory-'))
})
afterAll(() => rm(base, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))

test('makes what is missing above it, with the mode, and leaves what is there', async () => {
  const path = join(base, 'a/b/c')
  await makeDirectory(path, 0o700)
  await makeDirectory(path, 0o755)
  expect((await stat(path)).mode & 0o777).toBe(0o700)
  expect((await stat(join(base, 'a'))).mode & 0o777).toBe(0o700)
})

test('many at once make it together', async () => {
  await Promise.all(Array.from({ length: 20 }, () => makeDirectory(join(base, 'x/y/z'), 0o700)))
  expect((await stat(join(base, 'x/y/z'))).isDirectory()).toBe(true)
})

test('below a file it fails', async () => {
  await writeFile(join(base, 'file'), '')
  await expect(makeDirectory(join(base, 'file/below'), 0o700)).rejects.toMatchObject({ code: 'ENOTDIR' })
})

// Only Linux has such a place.
const nowhere = process.platform === 'linux' ? ['/proc/agency', '/proc/agency/below'] : []
test.each(nowhere)(
  'where nothing can be made, as in %s, it fails instead of trying for ever',
  async (path) => {
    await expect(makeDirectory(path, 0o700)).rejects.toMatchObject({ code: 'ENOENT' })
  },
)
