import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { credentialNamed, readCredential, setCredential } from './keep.ts'

const secret = `ghp_${'s'.repeat(36)}`
const emptyRoot = async (): Promise<string> => {
  const root = await mkdtemp(join(tmpdir(), 'agency-keep-'))
  onTestFinished(() => rm(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  return root
}
const modeOf = async (file: string): Promise<string> => ((await stat(file)).mode & 0o777).toString(8)

test('a credential is trimmed and kept for its owner only', async () => {
  const root = await emptyRoot()
  expect(await readCredential(root, 'github-token')).toBeUndefined()
  await mkdir(join(root, 'credentials'), { mode: 0o755 })
  await setCredential(root, 'github-token', `  ${secret}\n`)
  expect(await readCredential(root, 'github-token')).toBe(secret)
  expect(await modeOf(join(root, 'credentials'))).toBe('700')
  expect(await modeOf(join(root, 'credentials/github-token'))).toBe('600')
  await setCredential(root, 'github-token', 'another')
  expect(await readCredential(root, 'github-token')).toBe('another')
})

test('a bad value is refused, nothing is stored, and the value is not repeated', async () => {
  const root = await emptyRoot()
  for (const value of ['', '  \n', `${secret}\nextra`, `${secret} extra`]) {
    const failure = await setCredential(root, 'github-token', value).catch((error) => error)
    expect(failure).toMatchObject({ code: 'credential_bad', exit: 2 })
    expect(JSON.stringify([failure, failure.message])).not.toContain(secret)
  }
  expect(await readdir(root)).toEqual([])
})

test('a credential that others can read, or a link, is not used', async () => {
  const root = await emptyRoot()
  await setCredential(root, 'claude-token', secret)
  const file = join(root, 'credentials/claude-token')
  await chmod(file, 0o644)
  await expect(readCredential(root, 'claude-token')).rejects.toMatchObject({ code: 'credential_unsafe' })
  await chmod(file, 0o600)
  await symlink(file, join(root, 'credentials/gitlab-token'))
  await expect(readCredential(root, 'gitlab-token')).rejects.toMatchObject({ code: 'credential_unsafe' })
  await setCredential(root, 'gitlab-token', 'glpat-x')
  expect(await readFile(file, 'utf8')).toBe(`${secret}\n`)
})

test('only the known names are credentials', () => {
  expect(credentialNamed('github-token')).toBe('github-token')
  for (const name of ['../x', 'github', '__proto__'])
    expect(() => credentialNamed(name)).toThrow(expect.objectContaining({ code: 'credential_unknown' }))
})
