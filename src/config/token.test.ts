import { chmod, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ensureToken, readToken } from './token.ts'

const emptyRoot = async (): Promise<string> => {
  const root = await mkdtemp(join(tmpdir(), 'agency-token-'))
  onTestFinished(() => rm(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  return root
}

test('many that make the token at once get the same, and it stays', async () => {
  const root = await emptyRoot()
  await expect(readToken(root)).rejects.toMatchObject({ code: 'token_missing' })
  const tokens = await Promise.all(Array.from({ length: 10 }, () => ensureToken(root)))
  expect(new Set(tokens).size).toBe(1)
  expect(await ensureToken(root)).toBe(tokens[0])
  expect(await ensureToken(await emptyRoot())).not.toBe(tokens[0])
})

test('a token that others can read is reported, not used and not repaired', async () => {
  const root = await emptyRoot()
  const token = await ensureToken(root)
  for (const mode of [0o640, 0o604, 0o620]) {
    await chmod(join(root, 'token'), mode)
    const failure = await ensureToken(root).catch((error) => error)
    expect(failure).toMatchObject({ code: 'token_unsafe', words: { next: expect.stringContaining('rm ') } })
    expect(JSON.stringify(failure)).not.toContain(token)
  }
})

test('a link, or a file that holds no token, is not used', async () => {
  const root = await emptyRoot()
  await ensureToken(root)
  await rename(join(root, 'token'), join(root, 'real'))
  await symlink(join(root, 'real'), join(root, 'token'))
  await expect(ensureToken(root)).rejects.toMatchObject({ code: 'token_unsafe' })
  await rm(join(root, 'token'))
  for (const text of ['', 'short', 'a b'.repeat(20)]) {
    await writeFile(join(root, 'token'), text, { mode: 0o600 })
    await expect(ensureToken(root)).rejects.toMatchObject({ code: 'token_unsafe' })
    expect(await readFile(join(root, 'token'), 'utf8')).toBe(text)
  }
})
