import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { identify } from '../../base/process/identity.ts'
import { findClaude } from './find.ts'

const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'agency-find-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  return made
}
const program = (path: string, script: string, mode = 0o755): string => {
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode })
  return path
}
const system = '/usr/bin:/bin'

test('CLAUDE_BIN wins over PATH, and what it prints is its version', async () => {
  const at = folder()
  program(join(at, 'claude'), 'echo "2.1.300 (Claude Code)"')
  const named = program(join(at, 'other'), 'echo "2.1.325 (Claude Code)"')
  const onPath = await findClaude({ PATH: `relative:${at}:${system}` })
  expect([onPath.program, onPath.driver.version]).toEqual([join(at, 'claude'), '2.1.300'])
  const chosen = await findClaude({ PATH: `${at}:${system}`, CLAUDE_BIN: named })
  expect([chosen.program, chosen.driver.version]).toEqual([named, '2.1.325'])
})

test.each<[string, (at: string) => Record<string, string>, string]>([
  ['not installed', (at) => ({ PATH: at }), 'claude_missing'],
  ['a name instead of a path', () => ({ PATH: system, CLAUDE_BIN: 'claude' }), 'claude_missing'],
  ['gone', (at) => ({ PATH: system, CLAUDE_BIN: join(at, 'none') }), 'claude_missing'],
  [
    'not executable',
    (at) => ({ PATH: system, CLAUDE_BIN: program(join(at, 'claude'), 'true', 0o644) }),
    'claude_missing',
  ],
  [
    'broken',
    (at) => ({ PATH: system, CLAUDE_BIN: program(join(at, 'claude'), 'echo no >&2; exit 3') }),
    'claude_missing',
  ],
  [
    'something else',
    (at) => ({ PATH: system, CLAUDE_BIN: program(join(at, 'claude'), 'echo hello') }),
    'cli_version_unknown',
  ],
  [
    'too old',
    (at) => ({ PATH: system, CLAUDE_BIN: program(join(at, 'claude'), 'echo 1.0.1') }),
    'cli_too_old',
  ],
])('%s', async (_, env, code) => {
  await expect(findClaude(env(folder()))).rejects.toMatchObject({ code })
})

test('one that hangs is given up on, with all that it has started', async () => {
  const at = folder()
  const script = `sleep 1000 & echo $! > ${at}/child; touch ${at}/began; wait`
  const CLAUDE_BIN = program(join(at, 'claude'), script)
  // Longer each time, until it had the time to begin before its time was over.
  for (let patience = 500; ; patience *= 2) {
    await expect(findClaude({ PATH: system, CLAUDE_BIN }, patience)).rejects.toMatchObject({
      code: 'claude_missing',
      message: expect.stringContaining(`did not answer in ${patience / 1000} s`),
    })
    if (existsSync(join(at, 'began'))) break
  }
  const child = Number(readFileSync(join(at, 'child'), 'utf8'))
  await expect.poll(() => identify(child), { timeout: 20_000 }).toBe(undefined)
})
