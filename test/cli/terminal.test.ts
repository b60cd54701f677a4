// What only a real terminal shows: nothing typed is echoed, and Ctrl-C leaves the terminal as it was.
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { program, world } from './kit.ts'
import { terminal } from './screen.ts'

const patience = { timeout: 30_000 }

test('a credential is typed without being shown', async () => {
  const at = world()
  await at.agency(['init'])
  const { type, screen } = terminal(at, `${program} credential set github-token`)
  await expect.poll(screen, patience).toContain('not shown')
  type('ghp_0123456789abcdefghijX\u007f\r')
  await expect.poll(screen, patience).toContain('done')
  expect(screen()).toContain('Stored github-token')
  expect(screen()).not.toContain('ghp_')
  expect(screen()).toMatch(/code=0\r\n.*icanon.*echo/s)
  const file = join(at.root, 'credentials/github-token')
  expect(readFileSync(file, 'utf8')).toBe('ghp_0123456789abcdefghij\n')
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('a Claude token is made by Claude Code, then pasted', async () => {
  const at = world()
  await at.agency(['init'])
  const claude = join(at.folder, 'claude')
  writeFileSync(claude, '#!/bin/sh\necho "called with $1"\n', { mode: 0o755 })
  at.env.CLAUDE_BIN = claude
  const { type, screen } = terminal(at, `${program} credential set claude-token`)
  await expect.poll(screen, patience).toMatch(/called with setup-token.*not shown/s)
  type('sk-ant-0123456789abcdefghijklmn\r')
  await expect.poll(screen, patience).toContain('done')
  expect(screen()).toContain('Stored claude-token')
})

test('Ctrl-C at the question: exit 130, nothing stored, the terminal echoes again', async () => {
  const at = world()
  await at.agency(['init'])
  const { type, screen } = terminal(at, `${program} credential set github-token`)
  await expect.poll(screen, patience).toContain('not shown')
  type('ghp_half\u0003')
  await expect.poll(screen, patience).toContain('done')
  expect(screen()).toContain('code=130')
  expect(screen()).not.toMatch(/-echo|-icanon/)
  expect(at.tree()).not.toContain('root/credentials/github-token')
})

test('colour on a terminal, none with NO_COLOR', async () => {
  const at = world()
  const { screen } = terminal(at, `${program} nonsense; NO_COLOR=1 ${program} other`)
  await expect.poll(screen, patience).toContain('done')
  expect(screen()).toContain('\u001b[31merror:\u001b[0m agency has no command "nonsense"')
  expect(screen()).toMatch(/\nerror: agency has no command "other"/)
})
