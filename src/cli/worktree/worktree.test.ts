import { EventEmitter } from 'node:events'
import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { git, ground, write } from '../../../test/kit/repository.ts'
import { createWorktree } from '../../worktree/create.ts'
import type { Call } from '../io.ts'
import { run as list } from './list.ts'
import { run as remove } from './remove.ts'

const callOf = (root: string, values: Record<string, string> = {}, flags: readonly string[] = []): Call => ({
  values,
  lists: {},
  flags: new Set(flags),
  rest: [],
  io: {
    stdin: Readable.from([]),
    stdout: { write: () => true },
    stderr: { write: () => true },
    env: { AGENCY_ROOT: root, HOME: process.env.HOME },
    cwd: root,
    program: 'agency',
    self: [process.execPath],
    signals: new EventEmitter(),
  },
  json: false,
  specs: [],
  say: () => undefined,
  progress: () => undefined,
  defer: () => undefined,
  leavable: () => undefined,
  warn: () => undefined,
})

test('a tree is listed, would be removed, and is', async () => {
  const { root, repo } = ground()
  write(join(root, '.agency-dir.txt'), 'v0.0.0\n')
  expect(await list(callOf(root))).toMatchObject({ lines: ['No agent has a worktree.'] })
  const { path } = await createWorktree({ root, agent: 'a', directory: repo, settings: {} })
  expect(await list(callOf(root))).toEqual({
    data: {
      root: realpathSync(root),
      worktrees: [expect.objectContaining({ agent: 'a', state: 'clean', path })],
    },
    lines: [expect.stringMatching(/^AGENT/), expect.stringMatching(/^a +a +clean/)],
  })
  expect(await remove(callOf(root, { agent: 'a' }, ['dry-run']))).toMatchObject({ data: { removed: false } })
  expect(existsSync(path)).toBe(true)
  expect(await remove(callOf(root, { agent: 'a' }))).toMatchObject({
    data: { agent: 'a', branch: 'a', removed: true },
    lines: [`Removed ${path} and the branch "a".`],
  })
  expect([existsSync(path), git(repo, 'branch', '--list', 'a')]).toEqual([false, ''])
})

test('a name that is none is refused before anything is looked at', async () => {
  await expect(async () => remove(callOf('/nonexistent', { agent: '../x' }))).rejects.toMatchObject({
    exit: 2,
  })
})
