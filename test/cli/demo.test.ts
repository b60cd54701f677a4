import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { acts } from '../../src/cli/demo/acts.ts'
import { strays } from '../../src/cli/demo/strays.ts'
import { collect, program, type World, world } from './kit.ts'

/** The demo in a temporary directory of ours, so that we see what it leaves. */
const staged = (): { at: World; tmp: string; env: NodeJS.ProcessEnv } => {
  const at = world()
  const tmp = join(at.folder, 'tmp')
  mkdirSync(tmp)
  return { at, tmp, env: { TMPDIR: tmp } }
}

test('demo --check: every claim holds, nothing is left, and your own root is not touched', async () => {
  const { at, tmp, env } = staged()
  const { code, out, err } = await at.agency(['demo', '--check'], { env })
  expect([code, err]).toEqual([0, ''])
  expect(out.match(/^ok {2}/gm)).toHaveLength(acts.length)
  expect(readdirSync(tmp)).toEqual([])
  expect(at.tree()).toEqual(['cwd', 'home', 'tmp'])
})

test('demo --json is one object', async () => {
  const { at, env } = staged()
  const { proved } = (await at.json(['demo'], { env })) as { proved: unknown[] }
  expect(proved).toHaveLength(acts.length)
})

test.each(['SIGINT', 'SIGTERM'] as const)('%s in the middle: it cleans up', async (signal) => {
  const { at, tmp, env } = staged()
  const child = at.start(['demo'], { env })
  let said = ''
  child.stdout?.on('data', (text) => {
    said += text
  })
  const ended = collect(child)
  await expect.poll(() => said, { timeout: 60_000 }).toMatch(/\n3\./)
  const root = /root +(\S+)/.exec(said)?.[1] ?? expect.fail('the demo does not name its root')
  child.kill(signal)
  expect((await ended).code).toBe(signal === 'SIGINT' ? 130 : 143)
  expect(readdirSync(tmp)).toEqual([])
  await expect.poll(() => strays(root), { timeout: 30_000 }).toEqual([])
})

test('a reader that goes away in the middle: quiet, and it cleans up', async () => {
  const { at, tmp, env } = staged()
  const shell = spawn('bash', ['-c', `"$0" demo | head -n 4; exit "\${PIPESTATUS[0]}"`, program], {
    env: { ...at.env, ...env },
  })
  const { code, err } = await collect(shell)
  expect([code, err]).toEqual([141, ''])
  expect(readdirSync(tmp)).toEqual([])
})
