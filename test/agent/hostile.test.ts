// Launches and resumes when what they stand on is taken away, or is asked for twice at once.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { agents as api } from '../../src/agent/api.ts'
import { call } from '../../src/client/call.ts'
import { route } from '../../src/client/route.ts'
import { reach } from '../../src/client/start.ts'
import { findKeepers } from '../../src/keeper/find.ts'
import { git } from '../kit/repository.ts'
import { patience, type Stage, stage } from './kit.ts'

const talk = { scripts: [{ replies: [{ text: 'Heard.', times: 0 }] }] }

const resume = (at: Stage, name: string) => at.agency(['session', 'resume', name, '--detach'])
const spoken = async (at: Stage, name: string, ...more: string[]) => {
  expect((await at.run(name, ...more)).code).toBe(0)
  await at.say(name, 'hello')
  return at.until(name, { state: 'idle', turns: 1 })
}

test('two resumes at once: one is up, the other is told', async () => {
  const at = await stage(talk)
  const { session } = await spoken(at, 'a')
  expect((await at.agency(['stop', 'a'])).code).toBe(0)
  const said = await Promise.all([resume(at, 'a'), resume(at, 'a'), at.run('a')])
  expect(said.map(({ code }) => code).sort()).toEqual([0, 1, 1])
  for (const { code, err } of said) if (code !== 0) expect(err).toContain('"a" is already running')
  expect(await findKeepers(at.root)).toHaveLength(1)
  if (said[2]?.code !== 0) await at.until('a', { state: 'idle', session, turns: 1 })
})

test('the keeper of before is waited for', async () => {
  const at = await stage(talk)
  const { session } = await spoken(at, 'a')
  for (let turns = 1; turns < 4; turns++) {
    await at.say('a', '/exit')
    await at.until('a', { state: 'exited' })
    const { code, err } = await resume(at, 'a')
    expect(code, err).toBe(0)
    await at.until('a', { state: 'idle', session })
  }
})

test('what it said is gone: no new beginning under the old name; back again, it goes on', async () => {
  const at = await stage(talk)
  const { session } = await spoken(at, 'a')
  expect((await at.agency(['stop', 'a'])).code).toBe(0)
  const { path } = JSON.parse(readFileSync(join(at.directory('a'), 'heard.json'), 'utf8'))
  renameSync(path, `${path}.away`)
  const gone = await resume(at, 'a')
  expect([gone.code, gone.err]).toEqual([1, expect.stringContaining('what it said is gone (')])
  renameSync(`${path}.away`, path)
  expect((await resume(at, 'a')).code).toBe(0)
  await at.until('a', { state: 'idle', session, turns: 1 })
})

test('role, directory, file of the session and worktree taken away: said, and nothing is lost', async () => {
  const at = await stage(talk)
  git(at.cwd, 'init', '--quiet', '--initial-branch', 'main')
  writeFileSync(join(at.cwd, 'README.md'), 'x\n')
  git(at.cwd, 'add', '.')
  git(at.cwd, 'commit', '--quiet', '-m', 'begin')
  const { session } = await spoken(at, 'a', '--override', 'worktree.enabled=true')
  expect((await at.agency(['stop', 'a'])).code).toBe(0)
  const refused = async (path: string, words: RegExp) => {
    renameSync(path, `${path}-away`)
    try {
      const { code, err } = await resume(at, 'a')
      expect([code === 0, err]).toEqual([false, expect.stringMatching(words)])
      expect(err).not.toMatch(/ENOENT|at .*\.js:/)
      expect(await findKeepers(at.root)).toEqual([])
    } finally {
      rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
      renameSync(`${path}-away`, path)
    }
  }
  await refused(join(at.root, 'roles/s.yaml'), /There is no role "s"/)
  await refused(join(at.root, 'worktrees/a'), /its directory is gone/)
  await refused(join(at.directory('a'), 'session.json'), /it ran a plain command/)
  await refused(at.directory('a'), /none was launched under that name/)
  expect((await resume(at, 'a')).code).toBe(0)
  await at.until('a', { state: 'idle', session, turns: 1 })
})

test('a directory that cannot be made: the system’s reason, and the name is free', async () => {
  const at = await stage(talk)
  await at.agency(['start'])
  mkdirSync(join(at.root, 'sessions'), { recursive: true })
  writeFileSync(at.directory('a'), 'a file')
  const { code, err } = await at.run('a')
  expect([code, err]).toEqual([1, expect.stringMatching(/operating system refused.*sessions\/a/s)])
  expect(readFileSync(at.directory('a'), 'utf8')).toBe('a file')
  rmSync(at.directory('a'))
  expect((await at.run('a')).code).toBe(0)
})

test('gc beside launches: whoever is told to be up is up, and nobody is left behind', async () => {
  const at = await stage(talk)
  await at.agency(['start'])
  const sweep = () => at.agency(['session', 'gc', '--older', '0'])
  for (let round = 0; round < 3; round++) {
    const said = await Promise.all([sweep(), at.run('a'), sweep(), at.run('b'), sweep()])
    for (const [name, told] of [
      ['a', said[1]],
      ['b', said[3]],
    ] as const) {
      if (told.code === 0) {
        await at.until(name, { state: 'idle' })
        expect(existsSync(join(at.directory(name), 'session.json'))).toBe(true)
        expect((await at.agency(['stop', name])).code).toBe(0)
      } else expect(told.err).toMatch(/did not start|could not start|refused/)
    }
    await expect.poll(() => findKeepers(at.root), patience).toEqual([])
  }
  expect((await sweep()).code).toBe(0)
  expect(readdirSync(join(at.root, 'sessions'))).toEqual([])
})

test('a role and a command at once, and a role that nothing can hold, are refused before anything is looked for', async () => {
  const at = await stage(talk, {
    t: 'name: t\ninstructions: Test.\ncapabilities:\n  can_execute_commands: true\n',
  })
  await at.agency(['start'])
  const launch = route<typeof api.launch>('POST', '/agents')
  const body = { cwd: at.cwd, env: {}, role: 's', command: ['sleep', '1'] }
  await expect(call(await reach(at.root), launch, { body })).rejects.toMatchObject({
    code: 'validation_error',
    message: 'An agent has a role or runs a command, not both.',
  })
  // Claude Code is missing too: to install it would not help.
  const { code, err } = await at.agency(['run', '--role', 't', '--detach'])
  expect([code, err]).toEqual([
    2,
    expect.stringMatching(/"t" was refused[\s\S]*a command cannot be held to that/),
  ])
  expect(err).not.toContain('Claude Code cannot be started')
})
