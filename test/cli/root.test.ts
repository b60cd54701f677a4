// Root, settings, credentials, roles and pods, as typed.
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commit, git } from '../kit/repository.ts'
import { inside } from './inside.ts'
import { type World, world } from './kit.ts'

const rooted = async (): Promise<World> => {
  const at = world()
  expect((await at.agency(['init'])).code).toBe(0)
  return at
}

test('init: $AGENCY_ROOT, a directory, or ~/.agency; never an existing root', async () => {
  const at = await rooted()
  expect(readFileSync(join(at.root, '.agency-dir.txt'), 'utf8')).toMatch(/^\S+\n$/)
  for (const kind of ['config', 'role', 'pod', 'agent', 'director']) {
    expect(JSON.parse(readFileSync(join(at.root, 'schemas', `${kind}.json`), 'utf8'))).toHaveProperty(
      '$schema',
    )
  }
  const again = await at.agency(['init'])
  expect([again.code, again.err]).toEqual([1, expect.stringContaining('already a root')])
  expect((await at.json(['init', 'here'])).root).toBe(join(at.cwd, 'here'))
  expect((await at.json(['init'], { env: { AGENCY_ROOT: '' } })).root).toBe(join(at.home, '.agency'))
  expect((await at.json(['init'], { env: { AGENCY_ROOT: '', H2_DIR: join(at.folder, 'h2') } })).root).toBe(
    join(at.folder, 'h2'),
  )
})

test('a root found upwards is used only after trust, which an agent cannot give', async () => {
  const at = world()
  const here = { env: { AGENCY_ROOT: '' }, cwd: join(at.cwd, 'clone/deep') }
  mkdirSync(here.cwd, { recursive: true })
  writeFileSync(join(at.cwd, 'clone/.agency-dir.txt'), '1\n')
  const before = await at.agency(['config'], here)
  expect([before.code, before.err]).toEqual([
    1,
    expect.stringContaining(`agency trust ${join(at.cwd, 'clone')}`),
  ])
  const agent = await at.agency(['trust', '..'], { ...here, env: { ...here.env, AGENCY_ACTOR: 'coder' } })
  expect([agent.code, agent.err]).toEqual([1, expect.stringContaining('Only a person')])
  expect((await at.agency(['config'], here)).code).toBe(1)
  expect((await at.agency(['trust'], here)).code).toBe(0)
  expect((await at.agency(['config'], here)).code).toBe(0)
})

test('config: every value with its origin; set keeps comments and refuses what is not valid', async () => {
  const at = await rooted()
  const file = join(at.root, 'config.yaml')
  const before = readFileSync(file, 'utf8')
  expect((await inside(at, ['config', 'get', 'host.port'])).out).toMatch(/^0 {2}\(config\.yaml:\d+\)\n$/)
  expect((await inside(at, ['config', 'get', 'host.drain_seconds'])).out).toBe('30  (default)\n')
  const fromEnv = await at.agency(['config', 'get', 'host.log_level'], { env: { AGENCY_LOG_LEVEL: 'debug' } })
  expect(fromEnv.out).toBe('debug  (AGENCY_LOG_LEVEL)\n')
  for (const argv of [
    ['host.prt', '1'],
    ['host.port', '80'],
    ['host.port', 'x: ['],
    ['host', '1'],
    ['__proto__.x', '1'],
  ]) {
    const refused = await inside(at, ['config', 'set', ...argv])
    expect([argv, refused.code]).toEqual([argv, 2])
  }
  expect((await inside(at, ['config', 'set', 'host.prt', '1'])).err).toContain('Did you mean "host.port"')
  expect(readFileSync(file, 'utf8')).toBe(before)
  expect((await inside(at, ['config', 'set', 'host.port', '9300'])).out).toContain('host.port: 0 → 9300')
  expect(readFileSync(file, 'utf8')).toBe(before.replace('port: 0', 'port: 9300'))
  expect((await inside(at, ['config', 'set', 'host.port', ''])).code).toBe(0)
  expect((await inside(at, ['config', 'get', 'host.port'])).out).toBe('0  (default)\n')
})

test('a credential comes from a pipe, is kept for you alone, and is never shown', async () => {
  const at = await rooted()
  const secret = 'ghp_0123456789abcdefghij'
  const set = await at.agency(['credential', 'set', 'github-token'], { stdin: `${secret}\n` })
  expect([set.code, set.err]).toEqual([0, ''])
  expect(statSync(join(at.root, 'credentials/github-token')).mode & 0o777).toBe(0o600)
  const typed = await at.agency(['credential', 'set', 'github-token', secret])
  expect([typed.code, typed.err.includes(secret)]).toEqual([2, false])
  const empty = await at.agency(['credential', 'set', 'github-token'], { stdin: '' })
  expect([empty.code, empty.err]).toEqual([2, expect.stringContaining('is empty')])
  // No network here: a forge that cannot be asked is said to be so.
  const check = await at.agency(['credential', 'check', '--json'], {
    env: { AGENCY_GITHUB_API: 'http://127.0.0.1:9/x' },
  })
  expect(check.out).not.toContain(secret)
  expect(JSON.parse(check.out).credentials).toMatchObject([
    { name: 'claude-token', state: 'missing' },
    { name: 'github-token', state: 'ready', says: expect.stringContaining('could not be checked') },
    { name: 'gitlab-token', state: 'missing' },
  ])
  expect((await at.agency(['credential', 'check', 'gitlab-token'])).code).toBe(1)
})

test('roles: list, init, show, check', async () => {
  const at = await rooted()
  expect((await inside(at, ['role', 'list'])).out).toMatch(/\nactor +built in /)
  expect((await inside(at, ['role', 'init', 'coder'])).code).toBe(0)
  expect((await inside(at, ['role', 'init', 'coder'])).code).toBe(1)
  expect((await inside(at, ['role', 'init', '../x'])).code).toBe(2)
  expect((await inside(at, ['role', 'check', 'coder'])).out).toContain('coder: valid')
  expect((await inside(at, ['role', 'show', 'coder'])).out).toMatch(
    /^Name: +coder\n[\s\S]*\nPermissions:\n {2}Allow: Read, Glob, Grep\n {2}Deny: {2}Bash\(sudo \*\)/,
  )
  const file = join(at.root, 'roles/coder.yaml')
  writeFileSync(file, `${readFileSync(file, 'utf8')}\nmodle: opus\n`)
  const bad = await inside(at, ['role', 'check', 'coder'])
  expect([bad.code, bad.err]).toEqual([2, expect.stringContaining('did you mean model?')])
  const listed = await inside(at, ['role', 'list'])
  expect([listed.code, listed.err]).toEqual([0, expect.stringContaining('coder is not valid')])
  const all = await inside(at, ['validate', '--all'])
  expect([all.code, all.err]).toEqual([
    2,
    expect.stringMatching(/roles\/coder\.yaml:\d+:1 unknown field modle/),
  ])
})

test('pods: list and show', async () => {
  const at = await rooted()
  expect((await inside(at, ['pod', 'list'])).out).toContain('No pod templates')
  writeFileSync(
    join(at.root, 'pods/templates/backend.yaml'),
    'description: Two\nagents:\n  - role: actor\n    count: 2\n',
  )
  writeFileSync(join(at.root, 'pods/templates/broken.yaml'), 'agents: 1\n')
  const { out } = await inside(at, ['pod', 'list'])
  expect(out).toMatch(/backend +2 +Two\nbroken +0 +NOT VALID/)
  expect((await inside(at, ['pod', 'show', 'backend'])).out).toMatch(/actor-1 +actor\nactor-2 +actor\n/)
  expect((await inside(at, ['pod', 'show', 'broken'])).code).toBe(2)
  expect((await inside(at, ['pod', 'show', 'bakend'])).err).toContain('did you mean "backend"?')
})

test('run --dry-run shows what is known; without it the launch is refused honestly', async () => {
  const at = await rooted()
  writeFileSync(join(at.root, 'roles/s.yaml'), 'name: s\nagent_type: scripted\ninstructions: Work.\n')
  git(at.cwd, 'init', '--quiet')
  commit(at.cwd, { 'a.txt': 'a' })
  const before = at.tree()
  const dry = [
    'run',
    '--role',
    'actor',
    '--name',
    'a-1',
    '--pod',
    'p',
    '--override',
    'worktree.enabled=true',
    '--dry-run',
  ]
  const { out } = await inside(at, [...dry, '--', '--verbose'])
  expect(out).toMatch(
    /^agent +a-1\nrole +actor \(built-in\)\npod +p\nworks in +\S+worktrees\/a-1 \(a worktree of /,
  )
  expect(out).toMatch(/override +worktree\.enabled=true\narguments +--verbose\nNothing was started/)
  const branch = await inside(at, [...dry, '--override', 'worktree.branch_from=nope'])
  expect([branch.code, branch.err]).toEqual([1, expect.stringContaining('branch_from names "nope"')])
  for (const more of [['--dry-run'], []]) {
    const nowhere = await inside(at, ['run', '--role', 's', '--override', 'root_dir=/nonexistent', ...more])
    expect([nowhere.code, nowhere.err]).toEqual([2, expect.stringContaining('/nonexistent to work in')])
  }
  const plan = await inside(at, ['run', '--role', 's', '--dry-run'])
  expect(plan.out).toMatch(/\nruns +\S+.*\nwrites .*settings\.json.*\nsets +AGENCY_ACTOR, .*\nNothing/)
  const real = await inside(at, ['run', '--role', 'actor'])
  expect([real.code, real.err]).toEqual([1, expect.stringContaining('CLAUDE_BIN')])
  expect((await inside(at, ['run'])).code).toBe(2)
  expect((await inside(at, ['run', '--role', 'actor', '--override', 'permissions.allow=Bash'])).code).toBe(2)
  expect(at.tree()).toEqual(before)
})

test('doctor names the fix of everything it finds', async () => {
  const at = await rooted()
  writeFileSync(join(at.root, 'credentials/github-token'), 'ghp_0123456789abcdefghij\n', { mode: 0o644 })
  const { code, out } = await at.agency(['doctor'])
  expect(code).toBe(1)
  expect(out).toMatch(/FAIL +credential github-token +its file can be read or written by others\n +→ /)
  const claude = join(at.folder, 'claude')
  writeFileSync(claude, '#!/bin/sh\necho "9.9.9 (Claude Code)"\n', { mode: 0o755 })
  const found = await at.agency(['doctor', '--json'], { env: { CLAUDE_BIN: claude, ANTHROPIC_API_KEY: 'x' } })
  const { ok, findings } = JSON.parse(found.out) as {
    ok: boolean
    findings: { check: string; state: string; found: string }[]
  }
  expect(ok).toBe(false)
  expect(findings).toContainEqual({ check: 'claude', state: 'ok', found: `9.9.9 (Claude Code) (${claude})` })
  expect(findings.find(({ check }) => check === 'credential claude-token')?.state).toBe('ok')
})

const one: string[][] = [
  ['init'],
  ['trust'],
  ['credential', 'check'],
  ['status'],
  ['list'],
  ['config'],
  ['config', 'get', 'host.port'],
  ['validate', '--all'],
  ['version'],
  ['completion', 'bash'],
  ['role', 'list'],
  ['role', 'show', 'actor'],
  ['role', 'check', 'actor'],
  ['pod', 'list'],
  ['pod', 'show', 'nope'],
  ['stop', 'x'],
  ['down'],
  ['kill', '--all'],
  ['shutdown', '--all'],
  ['run', '--role', 'actor'],
  ['run', '--role', 'actor', '--dry-run'],
  ['nonsense'],
  ['--help'],
  ['role'],
]
test.each(one)('%s … --json prints one object and nothing else', async (...argv) => {
  const at = await rooted()
  const { code, out, err } = await inside(at, [...argv, '--json'])
  const said = JSON.parse(out)
  expect([err, typeof said, Array.isArray(said)]).toEqual(['', 'object', false])
  if (code !== 0)
    expect(Object.keys(said)).toEqual(
      expect.arrayContaining(['error', 'message', 'safe', 'next', 'problems']),
    )
})
