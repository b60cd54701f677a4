import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readHeard, readSessionFile, renameSession, saveHeard } from './heard.ts'
import type { SessionFile } from './plan/schema.ts'

const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'agency-heard-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  return made
}

test('how far a transcript was heard is found again; half a file is none', async () => {
  const at = folder()
  expect(await readHeard(at)).toBeUndefined()
  saveHeard(at, { path: '/t/s.jsonl', offset: 7 })
  expect(await readHeard(at)).toEqual({ path: '/t/s.jsonl', offset: 7 })
  const heard = { path: '/t/s.jsonl', offset: 9, told: 'turn', fresh: true }
  saveHeard(at, heard)
  expect(await readHeard(at)).toEqual(heard)
  for (const text of ['{"path":"/t', '{"path":"relative","offset":1}', '{"path":"/t","offset":-1}']) {
    writeFileSync(join(at, 'heard.json'), text)
    expect(await readHeard(at)).toBeUndefined()
  }
})

test('another conversation takes the place of the first, everything else stays', async () => {
  const at = folder()
  const file: SessionFile = {
    agent: 'a',
    session_id: 'one',
    agent_type: 'claude',
    role: 'r',
    overrides: { model: 'opus' },
    cwd: '/w',
    arguments: [],
    launched_at: '2026-01-01T00:00:00.000Z',
  }
  await renameSession(at, 'two')
  expect(await readSessionFile(at)).toBeUndefined()
  writeFileSync(join(at, 'session.json'), JSON.stringify(file))
  await renameSession(at, 'two')
  expect(await readSessionFile(at)).toEqual({ ...file, session_id: 'two' })
  expect(statSync(join(at, 'session.json')).mode & 0o777).toBe(0o600)
})
