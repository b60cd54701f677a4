import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Builder } from './schema.ts'
import { type Wanted, wrapLaunch } from './wrap.ts'

const ground = (): Wanted => {
  const folder = mkdtempSync(join(tmpdir(), 'agency-wrap-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  const at = (path: string): string => join(folder, path)
  for (const each of ['root/sessions/a/.claude', 'home/tree']) mkdirSync(at(each), { recursive: true })
  return {
    agent: 'a',
    settings: { network: 'none' },
    root: at('root'),
    home: at('home'),
    tree: { path: at('home/tree'), access: 'write', kind: 'theirs' },
    session: at('root/sessions/a'),
    writable: [at('root/sessions/a/.claude')],
    readable: [at('root/sessions/a/missing')],
    launch: { argv: ['claude'], env: { PATH: '/usr/bin', LD_PRELOAD: 'x' } },
    terminal: false,
    port: 40_000,
    programs: { node: process.execPath, forward: at('forward.cjs'), more: [] },
  }
}

const builder: Builder = { kind: 'bubblewrap', path: '/usr/bin/bwrap', version: '0.8.0', resets: true }

test('without anything to make walls with, nothing is launched, and nothing was made', async () => {
  const wanted = ground()
  const trouble = { cause: 'bubblewrap is not installed', fix: 'Install it.' }
  const error = await wrapLaunch(wanted, async () => trouble).catch((caught) => caught)
  expect(error).toMatchObject({
    code: 'sandbox_error',
    words: {
      message: 'There can be no sandbox around "a": bubblewrap is not installed.',
      safe: 'Nothing was started: without its walls it never is.',
      next: 'Install it.',
    },
  })
  expect([readdirSync(wanted.tree.path), readdirSync(wanted.session)]).toEqual([[], ['.claude']])
})

test('what is launched is the program within its walls, with the sockets its keeper opens', async () => {
  const wanted = ground()
  const { argv, env, cwd, walls, notes, undo } = await wrapLaunch(wanted, async () => builder)
  expect(argv[0]).toBe('/usr/bin/bwrap')
  expect(argv.at(-1)).toBe('claude')
  expect({ env, cwd, notes }).toEqual({
    env: { PATH: '/usr/bin', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
    cwd: '/',
    notes: [],
  })
  const { hooks = '', relay } = walls.doors ?? {}
  expect([hooks.endsWith('hooks.sock'), relay?.socket.endsWith('relay.sock'), relay?.hosts]).toEqual([
    true,
    true,
    [],
  ])
  await undo()
  expect(readdirSync(wanted.tree.path)).toEqual([])
})

test('with the whole network there are no doors; hosts are for a proxy only', async () => {
  const wanted = ground()
  const full = await wrapLaunch({ ...wanted, settings: { network: 'full' } }, async () => builder)
  expect([full.walls, full.argv.includes('--share-net')]).toEqual([{}, true])
  const settings = { network: 'proxy' as const, allowed_hosts: ['example.com'] }
  const proxy = await wrapLaunch({ ...wanted, settings }, async () => builder)
  expect(proxy.walls.doors?.relay.hosts).toEqual(['example.com'])
  await proxy.undo()
})
