// A whole agent within its walls: launched, supervised, spoken to and ended like any other.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Scenario } from '../../src/driver/scripted/scenario/schema.ts'
import { processesOf, type Stage, stage } from '../agent/kit.ts'
import { git } from '../kit/repository.ts'
import { needWalls, patience, secret } from './kit.ts'

needWalls()

const role = (more: string): string =>
  `name: s\nagent_type: scripted\ninstructions: Work.\npermissions: {allow: [Bash]}\nsandbox: {enabled: true${more}}\n`

const doing = (command: string): Scenario => ({
  scripts: [{ replies: [{ calls: [{ name: 'Bash', input: { command } }] }, { text: 'Done.' }] }],
})

const traces = (at: Stage): string[] => readdirSync(at.cwd).sort()

test.each(['none', 'proxy', 'full'])(
  'network %s: it is up, its hooks come through, its work is there, and nothing else',
  async (network) => {
    const at = await stage(
      doing(
        // Spelled so that no rule sees what it reads: here the walls alone must hold.
        `env > env.txt; cat ${'~'}/secret $(printf ../root/tok)en /etc/shadow > stolen.txt 2>&1; touch .claude/x; exit 0`,
      ),
      { s: role(`, network: ${network}`) },
    )
    writeFileSync(join(at.home, 'secret'), secret)
    const { code, out, err } = await at.agency(['run', '--role', 's', '--name', 'a', '--detach'], {
      env: { GITHUB_TOKEN: secret, ANTHROPIC_API_KEY: `sk-${secret}` },
    })
    expect([code, out], err).toEqual([0, expect.stringContaining('The agent "a" is up (role s, idle, pid ')])
    await at.say('a', 'go')
    await at.until('a', { state: 'idle', turns: 1 })
    const env = readFileSync(join(at.cwd, 'env.txt'), 'utf8')
    expect(env).toContain('AGENCY_ACTOR=a')
    expect(env).not.toContain('GITHUB_TOKEN')
    expect(env.includes(secret)).toBe(network === 'full')
    expect(readFileSync(join(at.cwd, 'stolen.txt'), 'utf8')).not.toContain(secret)
    expect((await at.journal('session.changed')).length).toBeGreaterThan(0)

    const keeper = await at.keeper('a')
    expect(processesOf(keeper).length).toBeGreaterThan(1)
    expect((await at.agency(['stop', 'a'])).code).toBe(0)
    await expect.poll(() => processesOf(keeper), patience).toEqual([])
    expect(traces(at)).toEqual(['env.txt', 'stolen.txt'])
    expect(existsSync(join(at.directory('a'), 'walls.json'))).toBe(false)
  },
)

test('told to end, it ends by itself: the walls do not fall on it', async () => {
  const at = await stage(doing('true'), { s: role(', network: none') })
  expect((await at.run('a')).code).toBe(0)
  const keeper = await at.keeper('a')
  const exit = await keeper.end(20_000)
  // Its own exit code, not the signal that would have killed the walls.
  expect(exit).toMatchObject({ code: 143, signal: null, asked: true, forced: false, left: [] })
  await at.until('a', { state: 'exited' })
})

test('killed with its keeper, nothing stays; and the next start takes the traces away', async () => {
  const at = await stage(doing('true'), { s: role(', network: none') })
  expect((await at.run('a')).code).toBe(0)
  const keeper = await at.keeper('a')
  expect(traces(at)).toContain('.mcp.json')
  process.kill(keeper.found.pid, 'SIGKILL')
  await expect.poll(() => processesOf(keeper), patience).toEqual([])
  await at.until('a', { state: 'lost' })
  await expect.poll(() => traces(at), patience).toEqual([])
})

test('Ctrl-C and a resized window arrive, and the walls stay', async () => {
  const at = await stage(doing('true'), {
    s: 'name: s\nagent_type: command\ncommand: [bash, loop.sh]\ninstructions: Work.\nsandbox: {enabled: true, network: none}\n',
  })
  const script =
    "trap 'echo heard' INT; trap 'echo size $(stty size)' WINCH; echo ready; while :; do sleep 0.1; done"
  writeFileSync(join(at.cwd, 'loop.sh'), script)
  expect((await at.run('a')).code).toBe(0)
  await expect.poll(() => at.screen('a'), patience).toContain('ready')
  const keeper = await at.keeper('a')
  await keeper.input(Buffer.from('\x03'))
  await expect.poll(() => at.screen('a'), patience).toContain('heard')
  await keeper.resize({ columns: 77, rows: 22 })
  await expect.poll(() => at.screen('a'), patience).toContain('size 22 77')
  await keeper.input(Buffer.from('\x1a\x1c\x03'))
  expect((await at.agent('a'))?.pid).toBeDefined()
})

test('who may run commands but change nothing has a tree that cannot be changed', async () => {
  const at = await stage(doing('touch made.txt; echo x > kept.txt; rm kept.txt; exit 0'), {
    s: 'name: s\nagent_type: scripted\ninstructions: Work.\npermissions: {allow: [Bash]}\ncapabilities: {can_read_files: true, can_execute_commands: true}\nsandbox: {enabled: true}\n',
  })
  writeFileSync(join(at.cwd, 'kept.txt'), 'kept')
  expect((await at.run('a')).code).toBe(0)
  await at.say('a', 'go')
  await at.until('a', { state: 'idle', turns: 1 })
  expect(traces(at)).toEqual(['kept.txt'])
  expect(readFileSync(join(at.cwd, 'kept.txt'), 'utf8')).toBe('kept')
})

test('in a repository it has a clone of its own, and its commits come back as its branch', async () => {
  const commit =
    'echo new > new.txt; git add -A; git -c user.name=a -c user.email=a@b commit -qm Work 2> err.txt; git push origin HEAD 2>/dev/null; git log --oneline origin/main > log.txt; exit 0'
  const at = await stage(doing(commit), {
    s: `${role(', network: none')}worktree: {enabled: true}\n`,
  })
  git(at.cwd, 'init', '--quiet')
  writeFileSync(join(at.cwd, 'a.txt'), 'a')
  git(at.cwd, 'add', '.')
  git(at.cwd, 'commit', '--quiet', '-m', 'Begin')
  const said = await at.run('a')
  expect(said.code, said.err).toBe(0)
  await at.say('a', 'go')
  await at.until('a', { state: 'idle', turns: 1 })
  expect(git(at.cwd, 'branch', '--list')).toBe('* main')
  const forked = await at.agency(['session', 'fork', 'a', '--name', 'b', '--detach'])
  expect(forked.code, forked.err).toBe(0)
  expect(readFileSync(join(at.root, 'worktrees/b/new.txt'), 'utf8')).toBe('new\n')
  for (const name of ['a', 'b']) expect((await at.agency(['stop', name])).code).toBe(0)
  await expect.poll(() => git(at.cwd, 'branch', '--list'), patience).toBe('a\n  b\n* main')
  expect(git(at.cwd, 'ls-tree', '--name-only', 'a').split('\n')).toEqual(['a.txt', 'new.txt'])
  expect(git(at.cwd, 'status', '--short')).toBe('')
  expect(readFileSync(join(at.root, 'worktrees/a/log.txt'), 'utf8')).toContain('Begin')
})

test('a launch that fails leaves nothing in the tree', async () => {
  const at = await stage(doing('true'), {
    s: `name: s\nagent_type: command\ncommand: [/nowhere/program]\ninstructions: Work.\nsandbox: {enabled: true}\n`,
    t: role(', read_only_paths: [/nowhere]').replace('name: s', 'name: t'),
  })
  const refused = await at.agency(['run', '--role', 't', '--name', 'b', '--detach'])
  expect([refused.code, refused.err]).toEqual([
    1,
    expect.stringContaining('/nowhere of `sandbox.read_only_paths` does not exist'),
  ])
  expect(traces(at)).toEqual([])
})

test('a dry run shows the walls', async () => {
  const at = await stage(doing('true'), { s: role(', network: proxy, allowed_hosts: [example.com]') })
  const { out, code } = await at.agency(['run', '--role', 's', '--name', 'a', '--dry-run'])
  expect([code, out]).toEqual([0, expect.stringMatching(/walls +.*read-write.*example\.com/)])
})
