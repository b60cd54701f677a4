// A fork knows what its parent said, and is an agent of its own from then on.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { git } from '../kit/repository.ts'
import { patience, type Stage, stage } from './kit.ts'

const bash = (command: string) => ({ calls: [{ name: 'Bash', input: { command } }] })
const free = { s: 'name: s\nagent_type: scripted\ninstructions: Work.\npermissions:\n  allow: [Bash]\n' }
const talk = { scripts: [{ replies: [{ text: 'Heard.', times: 0 }] }] }
const waitFor = (file: string): string => `while [ ! -e ${file} ]; do sleep 0.1; done`

const fork = (at: Stage, agent: string, ...more: string[]) =>
  at.agency(['session', 'fork', agent, '--detach', ...more])

const transcript = (at: Stage, name: string): string => {
  const { path } = JSON.parse(readFileSync(join(at.directory(name), 'heard.json'), 'utf8'))
  return readFileSync(path, 'utf8')
}

test('in the middle of a turn: the parent goes on undisturbed, the fork has its own session, and begins to count at nothing', async () => {
  const at = await stage(
    {
      scripts: [
        { match: 'first', replies: [bash('echo before >> log'), { text: 'The word is plum.' }] },
        { match: 'second', replies: [bash(waitFor('go')), { text: 'Done.' }] },
        { match: 'other', replies: [bash('echo other >> log'), { text: 'Forked.' }] },
      ],
    },
    free,
  )
  const given = ['--pod', 'p', '--override', 'description=mine', '--', '--strict-mcp-config']
  expect((await at.run('a', ...given)).err).not.toContain('error')
  await at.say('a', 'first')
  await at.until('a', { state: 'idle', turns: 1 })
  await at.say('a', 'second')
  const parent = await at.until('a', { state: 'working', text: 'working (Bash)' })
  const before = transcript(at, 'a')

  const { code, out, err } = await fork(at, 'a')
  expect([code, out], err).toEqual([0, expect.stringContaining('"a-2" is up (role s, idle')])
  expect(err).toContain(`both work in the same directory: ${at.cwd}`)
  const child = await at.until('a-2', {
    state: 'idle',
    role: 's',
    pod: 'p',
    turns: 0,
    tokens: 0,
    cost_usd: 0,
  })
  expect(child.session).not.toBe(parent.session)
  expect(transcript(at, 'a')).toBe(before)
  // What it was doing when it was forked is its own business.
  expect(transcript(at, 'a-2')).toContain('The word is plum.')
  expect(transcript(at, 'a-2')).not.toContain(waitFor('go'))
  await expect.poll(() => at.screen('a-2'), patience).toContain('The word is plum.')
  const file = JSON.parse(readFileSync(join(at.directory('a-2'), 'session.json'), 'utf8'))
  expect(file).toMatchObject({
    session_id: child.session,
    forked_from: parent.session,
    overrides: { description: 'mine' },
    arguments: ['--strict-mcp-config'],
  })
  expect((await at.journal('session.launched')).map(({ data }) => data.forked_from)).toEqual([
    undefined,
    parent.session,
  ])

  await at.say('a-2', 'other')
  const one = await at.until('a-2', { state: 'idle', turns: 1 })
  expect(one.text).toBe('idle')
  await at.until('a', { state: 'working', text: 'working (Bash)', turns: 1, pid: parent.pid as number })
  writeFileSync(join(at.cwd, 'go'), '')
  await at.until('a', { state: 'idle', turns: 2, session: parent.session })
  expect(readFileSync(join(at.cwd, 'log'), 'utf8')).toBe('before\nother\n')
  expect(transcript(at, 'a')).not.toContain('Forked.')
})

test('of one that has ended; found again by the next host before it said anything, ended and resumed', async () => {
  const at = await stage(talk, free)
  await at.run('a')
  await at.say('a', 'remember this')
  await at.until('a', { state: 'idle', turns: 1 })
  expect((await at.agency(['stop', 'a'])).code).toBe(0)
  expect((await fork(at, 'a', '--name', 'b')).code).toBe(0)
  const { session } = await at.until('b', { state: 'idle', turns: 0 })
  await at.killHost()
  await at.agency(['start'])
  await at.until('b', { state: 'idle', session })
  expect((await at.agency(['stop', 'b'])).code).toBe(0)
  const resumed = await at.agency(['session', 'resume', 'b', '--detach'])
  expect(resumed.code, resumed.err).toBe(0)
  await at.until('b', { state: 'idle', session, turns: 0 })
  await expect.poll(() => at.screen('b'), patience).toContain('remember this')
  await at.say('b', 'go on')
  await at.until('b', { state: 'idle', session, turns: 1 })
  // A fork of a fork, and the next free names.
  expect((await fork(at, 'b')).out).toContain('"b-2" is up')
  expect((await at.agency(['stop', 'b-2'])).code).toBe(0)
  expect((await fork(at, 'b')).out).toContain('"b-3" is up')
  const listed = (await at.json(['session', 'list'])) as {
    sessions: { agent: string; forked_from?: string }[]
  }
  expect(listed.sessions.find((each) => each.agent === 'b-3')?.forked_from).toBe(session)
})

test('a worktree of its own, at the commit of the parent; what is not committed stays there', async () => {
  const at = await stage(talk)
  git(at.cwd, 'init', '--quiet', '--initial-branch', 'main')
  writeFileSync(join(at.cwd, 'README.md'), 'x\n')
  git(at.cwd, 'add', '.')
  git(at.cwd, 'commit', '--quiet', '-m', 'begin')
  expect((await at.run('a', '--override', 'worktree.enabled=true')).code).toBe(0)
  const tree = join(at.root, 'worktrees/a')
  writeFileSync(join(tree, 'done.txt'), 'done\n')
  git(tree, 'add', '.')
  git(tree, 'commit', '--quiet', '-m', 'work')
  writeFileSync(join(tree, 'half.txt'), 'half\n')
  await at.say('a', 'hello')
  await at.until('a', { state: 'idle', turns: 1 })
  const { code, err } = await fork(at, 'a')
  expect([code, err]).toEqual([
    0,
    expect.stringMatching(/1 file of "a" not committed stays with it: the fork begins at [0-9a-f]{12}/),
  ])
  const own = join(at.root, 'worktrees/a-2')
  await at.until('a-2', { state: 'idle', cwd: own })
  expect(existsSync(join(own, 'done.txt'))).toBe(true)
  expect(existsSync(join(own, 'half.txt'))).toBe(false)
  expect(git(own, 'rev-parse', 'HEAD')).toBe(git(tree, 'rev-parse', 'HEAD'))
  expect(git(own, 'rev-parse', '--abbrev-ref', 'HEAD').trim()).toBe('a-2')
})

test('what cannot be forked is said, and leaves nothing', async () => {
  const at = await stage(talk)
  await at.run('a')
  await at.agency(['run', '--name', 'sh', '--detach', '--', 'sleep', '1000'])
  const refused = async (words: string, ...args: string[]) => {
    const { code, err } = await fork(at, args[0] ?? '', ...args.slice(1))
    expect([code === 0, err]).toEqual([false, expect.stringContaining(words)])
  }
  await refused('nothing was said in it yet', 'a')
  await refused('it ran a plain command', 'sh')
  await refused('none was launched under that name', 'nobody')
  await refused('agent name', 'No Body')
  await at.say('a', 'hello')
  await at.until('a', { state: 'idle', turns: 1 })
  await refused('"sh" is already running', 'a', '--name', 'sh')
  await refused('"a" is already running', 'a', '--name', 'a')
  writeFileSync(at.env.AGENCY_SCENARIO ?? '', JSON.stringify({ ...talk, trouble: { crash_at_start: 7 } }))
  await refused('exit code 7', 'a')
  expect(existsSync(at.directory('a-2'))).toBe(false)
  expect((await at.agents()).map(({ name }) => name)).toEqual(['a', 'sh'])
  await at.until('a', { state: 'idle', turns: 1 })
})

test('several at once have a name each', async () => {
  const at = await stage(talk)
  await at.run('a')
  await at.say('a', 'hello')
  await at.until('a', { state: 'idle', turns: 1 })
  const said = await Promise.all([fork(at, 'a'), fork(at, 'a'), fork(at, 'a', '--name', 'a-3')])
  const up = said.filter(({ code }) => code === 0)
  expect(up.length, said.map(({ err }) => err).join()).toBeGreaterThanOrEqual(2)
  const names = (await at.agents()).map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(names).toHaveLength(up.length + 1)
})
