import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { builtinRoles } from '../role/builtin/schema.ts'
import { completeRole } from '../role/rules.ts'
import { keptFile } from './kept/rules.ts'
import { readKept } from './kept.ts'

const place = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'agency-kept-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  return dir
}

test.each(builtinRoles)('what is kept of $name is what decides', async (file) => {
  const dir = place()
  const role = completeRole({ ...file, permissions: { deny: ['Bash(git push *)'], allow: ['Read'] } })
  const { path, text, mode } = keptFile(dir, role, 'read-only')
  writeFileSync(path, text, { mode })
  const { name, capabilities, tools, permission_mode } = role
  const permissions = { allow: ['Read'], deny: ['Bash(git push *)'] }
  expect(await readKept(dir)).toEqual({
    role: { name, capabilities, tools, permission_mode, permissions },
    tree: 'read-only',
  })
})

test('what is not whole counts as not there', async () => {
  const dir = place()
  expect(await readKept(dir)).toBeUndefined()
  const { path, text } = keptFile(dir, completeRole({ name: 'r', instructions: 'i' }), undefined)
  for (const bad of [
    '',
    '{}',
    text.slice(0, 40),
    text.replace('"deny"', '"denied"'),
    text.replace('true', '1'),
  ]) {
    writeFileSync(path, bad)
    expect(await readKept(dir)).toBeUndefined()
  }
  writeFileSync(join(dir, 'elsewhere'), text)
  rmSync(path)
  symlinkSync('elsewhere', path)
  expect(await readKept(dir)).toBeUndefined()
  expect(readFileSync(path, 'utf8')).toBe(text)
})
