// A launch is told when the agent is up, and leaves nothing when it is not.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { alive } from '../../src/base/process/identity.ts'
import { findKeepers } from '../../src/keeper/find.ts'
import { git } from '../kit/repository.ts'
import { identified, processesOf, type Stage, stage } from './kit.ts'

type Case = { id: string; expect: { exit: number; stderr_has: string[] } }
const cases = JSON.parse(readFileSync('test/corpus/bad-input.json', 'utf8')) as Case[]

const talk = { scripts: [{ replies: [{ text: 'Heard.', times: 0 }] }] }

const sessionsOf = (at: Stage): string[] => {
  const folder = join(at.root, 'sessions')
  return existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String).sort() : []
}

test('up means up: the process runs, is idle, and its files are its own', async () => {
  const at = await stage(talk)
  const { code, out, err } = await at.run('a', '--pod', 'p')
  expect([code, out], err).toEqual([0, expect.stringContaining('The agent "a" is up (role s, idle, pid ')])
  const agent = await at.until('a', { state: 'idle', role: 's', pod: 'p', cwd: at.cwd, queued_messages: 0 })
  expect(alive(identified(agent.pid))).toBe(true)
  // The hook's token is in that file.
  expect(existsSync(join(at.directory('a'), 'settings.json'))).toBe(false)
  for (const file of ['session.json', 'heard.json', '.claude/.claude.json'])
    expect(statSync(join(at.directory('a'), file)).mode & 0o777).toBe(0o600)
  expect(statSync(at.directory('a')).mode & 0o777).toBe(0o700)
  expect(JSON.parse(readFileSync(join(at.directory('a'), 'session.json'), 'utf8'))).toMatchObject({
    agent: 'a',
    session_id: agent.session,
    role: 's',
    pod: 'p',
  })
  expect((await at.agency(['list'])).out).toMatch(/^AGENT .*\npod p\n {2}a +idle /)
  expect((await at.json(['list', '--pod', 'q'])).agents).toEqual([])
  expect(await at.journal('session.changed')).toMatchObject([{ data: { state: { name: 'idle' } } }])
})

test('the environment of the agent is the caller’s, with what it is told of itself; the host keeps none of it', async () => {
  const env = 'env > env.txt'
  const at = await stage(
    { scripts: [{ replies: [{ calls: [{ name: 'Bash', input: { command: env } }] }, { text: 'Done.' }] }] },
    { s: 'name: s\nagent_type: scripted\ninstructions: Work.\npermissions:\n  allow: [Bash]\n' },
  )
  const more = { env: { MY_SECRET_WORD: 'swordfish-1234', CLAUDECODE: '1' } }
  await at.agency(['run', '--role', 's', '--name', 'a', '--pod', 'p', '--detach'], more)
  await at.say('a', 'go')
  await at.until('a', { state: 'idle', turns: 1 })
  const told = Object.fromEntries(
    readFileSync(join(at.cwd, 'env.txt'), 'utf8')
      .split('\n')
      .map((line) => [line.split('=')[0], line.slice(line.indexOf('=') + 1)]),
  )
  expect(told).toMatchObject({
    MY_SECRET_WORD: 'swordfish-1234',
    AGENCY_ACTOR: 'a',
    H2_ACTOR: 'a',
    AGENCY_ROLE: 's',
    AGENCY_POD: 'p',
    AGENCY_ROOT: at.root,
    AGENCY_SESSION_DIR: at.directory('a'),
    CLAUDE_CONFIG_DIR: join(at.directory('a'), '.claude'),
  })
  rmSync(join(at.cwd, 'env.txt'))
  const found = (() => {
    try {
      return execFileSync('grep', ['-rl', 'swordfish-1234', at.root], { encoding: 'utf8' })
    } catch {
      // grep found nothing.
      return ''
    }
  })()
  expect(found).toBe('')
})

test('one name, one agent: also when several are launched at once', async () => {
  const at = await stage(talk)
  await at.agency(['start'])
  const said = await Promise.all(['a', 'a', 'a'].map((name) => at.run(name)))
  expect(said.map(({ code }) => code).sort()).toEqual([0, 1, 1])
  for (const { code, err } of said)
    if (code !== 0) expect(err).toMatch(/"a" is already running[\s\S]*agency attach a/)
  expect(await findKeepers(at.root)).toHaveLength(1)
  await at.until('a', { state: 'idle' })
})

test.each([['crashes', { crash_at_start: 7 }, /exit code 7[\s\S]*crashed at start/]] as const)(
  'an agent that %s leaves nothing',
  async (_, trouble, words) => {
    const at = await stage({ ...talk, trouble })
    await at.agency(['start'])
    const before = sessionsOf(at)
    const { code, err } = await at.run('a')
    expect([code, err]).toEqual([1, expect.stringMatching(words)])
    expect(sessionsOf(at)).toEqual(before)
    expect(await findKeepers(at.root)).toEqual([])
    expect(await at.agents()).toEqual([])
    // The name is free again.
    writeFileSync(at.env.AGENCY_SCENARIO ?? '', JSON.stringify(talk))
    expect((await at.run('a')).code).toBe(0)
  },
)

const repository = (at: Stage): void => {
  git(at.cwd, 'init', '--quiet')
  writeFileSync(join(at.cwd, 'README.md'), 'x\n')
  git(at.cwd, 'add', '.')
  git(at.cwd, 'commit', '--quiet', '-m', 'begin')
}
const tree = ['--override', 'worktree.enabled=true']

test('a worktree is made for it, and taken back when it does not start', async () => {
  const at = await stage(talk)
  repository(at)
  expect((await at.run('a', ...tree)).code).toBe(0)
  await at.until('a', { state: 'idle', cwd: join(at.root, 'worktrees/a') })
  expect(git(at.cwd, 'branch', '--list', 'a')).toContain('a')
  writeFileSync(at.env.AGENCY_SCENARIO ?? '', JSON.stringify({ ...talk, trouble: { crash_at_start: 7 } }))
  expect((await at.run('b', ...tree)).code).toBe(1)
  expect(existsSync(join(at.root, 'worktrees/b'))).toBe(false)
  expect(git(at.cwd, 'branch', '--list', 'b')).toBe('')
  // One that was there before stays, though the launch fails.
  expect((await at.agency(['stop', 'a'])).code).toBe(0)
  expect((await at.run('a', ...tree)).code).toBe(1)
  expect(existsSync(join(at.root, 'worktrees/a/README.md'))).toBe(true)
})

test('i228 branch exists: said, and nothing is left', async () => {
  const { expect: expected } = cases.find(({ id }) => id === 'i228') ?? expect.fail('no such case')
  const at = await stage(talk)
  repository(at)
  await at.agency(['start'])
  const before = at.tree().filter((path) => /sessions|worktrees\/main/.test(path))
  const { code, err } = await at.run('main', ...tree)
  expect(code).toBe(expected.exit)
  for (const word of expected.stderr_has) expect(err).toContain(word)
  expect(at.tree().filter((path) => /sessions|worktrees\/main/.test(path))).toEqual(before)
  expect(await findKeepers(at.root)).toEqual([])
})

test('any command runs unmanaged: nothing generated, no canary', async () => {
  const at = await stage(talk)
  const { code, out, err } = await at.agency(['run', '--name', 'sh', '--detach', '--', 'sleep', '1000'])
  expect([code, out], err).toEqual([0, expect.stringContaining('"sh" is up (without a role, unmanaged')])
  expect(err).toContain('nothing is supervised')
  expect(
    readdirSync(at.directory('sh')).filter((name) => /settings|claude|session|heard/.test(name)),
  ).toEqual([])
  expect((await at.agency(['run', '--detach', '--', 'sleep', '1000'])).out).toContain('"sleep-1"')
  const missing = await at.agency(['run', '--name', 'no', '--detach', '--', 'no-such-program'])
  expect([missing.code, missing.err]).toEqual([2, expect.stringContaining('no-such-program cannot be run')])
  expect(await at.agents()).toMatchObject([{ name: 'sh' }, { name: 'sleep-1' }])
})

test('a role of Claude runs the program that CLAUDE_BIN names, once it told its version', async () => {
  const at = await stage(talk, { c: 'name: c\ninstructions: Work.\nmodel: opus\n' })
  const program = join(at.folder, 'claude')
  const scenario = at.env.AGENCY_SCENARIO
  const script = `#!/bin/sh\nexport AGENCY_SCENARIO='${scenario}'\nexec '${resolve('bin/scripted')}' "$@"\n`
  writeFileSync(program, script, { mode: 0o755 })
  const more = { env: { CLAUDE_BIN: program, AGENCY_SCENARIO: undefined } }
  const dry = await at.agency(['run', '--role', 'c', '--dry-run', '--json'], more)
  expect(JSON.parse(dry.out).plan.launch.argv).toEqual(expect.arrayContaining([program, '--model=opus']))
  const { code, err } = await at.agency(['run', '--role', 'c', '--detach'], more)
  expect([code, err]).toEqual([0, expect.stringContaining('agency credential set claude-token')])
  await at.until('c', { state: 'idle', role: 'c' })
  const pid = String((await at.agent('c'))?.pid)
  const words = execFileSync('ps', ['-ww', '-o', 'args=', '-p', pid], { encoding: 'utf8' }).trim().split(' ')
  expect(words).toEqual(expect.arrayContaining(['--permission-mode=manual', '--model=opus']))
})

test('an agent cannot launch what nobody supervises', async () => {
  const at = await stage(talk)
  const { code, err } = await at.agency(['run', '--', 'sleep', '1000'], { env: { AGENCY_ACTOR: 'a' } })
  expect([code, err]).toEqual([1, expect.stringContaining('Only a person')])
})

test('stop leaves no process, not even one that ignores TERM or has run away', async () => {
  const at = await stage(
    {
      trouble: { ignore_sigterm: true },
      scripts: [
        {
          replies: [
            { calls: [{ name: 'Bash', input: { command: 'setsid sleep 1000 & echo' } }] },
            { text: '' },
          ],
        },
      ],
    },
    { s: 'name: s\nagent_type: scripted\ninstructions: Work.\npermissions:\n  allow: [Bash]\n' },
  )
  await at.run('a')
  const keeper = await at.keeper('a')
  await at.say('a', 'go')
  await at.until('a', { state: 'idle', turns: 1 })
  expect(processesOf(keeper).length).toBeGreaterThan(1)
  const { code, out, err } = await at.agency(['stop', 'a'])
  expect([code, out], err).toEqual([0, 'agents/a has ended.\n'])
  expect(processesOf(keeper)).toEqual([])
  expect(alive(keeper.found)).toBe(false)
  await at.until('a', { state: 'exited' })
  expect((await at.agency(['stop', 'a'])).out).toBe('agents/a had already ended.\n')
})
