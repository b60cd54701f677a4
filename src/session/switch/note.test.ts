import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readSessionFile, renameSession } from '../heard.ts'
import { noteRole } from './note.ts'

const old = {
  agent: 'a',
  session_id: 's',
  agent_type: 'claude',
  overrides: {},
  cwd: '/w',
  arguments: [],
  launched_at: '2026-01-01T00:00:00.000Z',
}

const place = () => {
  const directory = mkdtempSync(join(tmpdir(), 'agency-note-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  const file = join(directory, 'session.json')
  const text = JSON.stringify(old)
  writeFileSync(file, text)
  return { directory, text, read: () => readFileSync(file, 'utf8') }
}

test('a session without a role is an actor; that is written with the next change and not before', async () => {
  const { directory, text, read } = place()
  expect(await readSessionFile(directory)).toEqual({ ...old, role: 'actor' })
  expect(read()).toBe(text)
  // Asked for what it is already, nothing is touched.
  await noteRole(directory, 'actor')
  expect(read()).toBe(text)
  await renameSession(directory, 't')
  expect(JSON.parse(read())).toEqual({ ...old, session_id: 't', role: 'actor' })
  await noteRole(directory, 'planner')
  expect(JSON.parse(read())).toEqual({ ...old, session_id: 't', role: 'planner', switched: true })
})

test('where there is no session nothing is written', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'agency-note-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  await noteRole(directory, 'planner')
  expect(await readSessionFile(directory)).toBe(undefined)
})
