import fc from 'fast-check'
import { expect, test } from 'vitest'
import { order as sample } from '../../../test/samples/order.ts'
import { claude } from '../../driver/claude/driver.ts'
import { builtinRoles } from '../../role/builtin/schema.ts'
import type { Capabilities } from '../../role/capability/schema.ts'
import { completeRole } from '../../role/rules.ts'
import { type Role, type RoleFile, roleFile } from '../../role/schema.ts'
import { agentName, freeName } from './name/rules.ts'
import { planCommand, planRole } from './rules.ts'
import { type Plan, type PlanFacts, type Refusal, sessionFile } from './schema.ts'
import { shownPlan } from './shown/rules.ts'

const role = (file: Partial<RoleFile> = {}): Role =>
  completeRole(roleFile.parse({ name: 'coder', instructions: 'Write code.', ...file }))

const facts: PlanFacts = {
  root: '/home/user/.agency',
  cwd: '/home/user/project',
  home: '/home/user',
  uid: 1000,
  env: {
    PATH: '/usr/bin',
    HOME: '/home/user',
    ANTHROPIC_API_KEY: 'sk-ant-0123456789-0123456789',
    CLAUDECODE: '1',
    AGENCY_ACTOR: 'outer',
    H2_POD: 'outer',
  },
  taken: ['busy', 'claude-1'],
  start: { kind: 'new', id: '00000000-0000-4000-8000-000000000001' },
  program: '/usr/bin/claude',
  driver: claude('2.1.325'),
  keeper: sample.keeper,
  sandbox: { available: false, why: 'bubblewrap is not installed' },
  credentials: {},
  at: '2026-01-01T00:00:00.000Z',
}

const request = (file: Partial<RoleFile> = {}, more: object = {}, changed: Partial<PlanFacts> = {}) => ({
  role: role(file),
  overrides: {},
  extra: [],
  facts: { ...facts, ...changed },
  ...more,
})
const plan = (...args: Parameters<typeof request>): Plan => {
  const planned = planRole(request(...args))
  if ('refusals' in planned) throw new Error(planned.refusals.map((one) => one.text).join('; '))
  return planned.plan
}
const refusals = (...args: Parameters<typeof request>): readonly Refusal[] => {
  const planned = planRole(request(...args))
  return 'refusals' in planned ? planned.refusals : []
}
const codes = (...args: Parameters<typeof request>) => refusals(...args).map(({ code }) => code)

const session = '/home/user/.agency/sessions/coder'

test('a plain role', () => {
  const { order, files, launch, ...rest } = plan()
  expect(rest).toEqual({
    agent: 'coder',
    role: 'coder',
    overrides: {},
    managed: true,
    reviewer: false,
    cwd: '/home/user/project',
    directories: [session, `${session}/.claude`, `${session}/tmp`, `${session}/messages`],
    warnings: [],
  })
  expect(files.map(({ path, mode, once }) => [path, mode, once])).toEqual([
    [`${session}/session.json`, 0o600, false],
    [`${session}/role.json`, 0o600, false],
    [`${session}/settings.json`, 0o600, true],
    [`${session}/.claude/.claude.json`, 0o600, false],
  ])
  expect(launch.argv).toEqual([
    '/usr/bin/claude',
    '--session-id=00000000-0000-4000-8000-000000000001',
    '--permission-mode=manual',
    `--settings=${session}/settings.json`,
    '--append-system-prompt=Write code.',
  ])
  expect(order?.tools).toBeUndefined()
})

test('the agent is told who and where it is, and nothing of the shell around the caller', () => {
  const { launch } = plan({ pod: 'backend' }, { name: 'coder-7' })
  const names = /^(AGENCY|H2)_|^CLAUDE(CODE|_CONFIG_DIR)$|^CLAUDE_CODE_TMPDIR$/
  const directory = '/home/user/.agency/sessions/coder-7'
  expect(Object.fromEntries(Object.entries(launch.env).filter(([name]) => names.test(name)))).toEqual({
    AGENCY_ROOT: '/home/user/.agency',
    AGENCY_ACTOR: 'coder-7',
    AGENCY_ROLE: 'coder',
    AGENCY_POD: 'backend',
    AGENCY_SESSION: '00000000-0000-4000-8000-000000000001',
    AGENCY_SESSION_DIR: directory,
    H2_DIR: '/home/user/.agency',
    H2_ACTOR: 'coder-7',
    H2_ROLE: 'coder',
    H2_POD: 'backend',
    H2_SESSION_DIR: directory,
    CLAUDE_CONFIG_DIR: `${directory}/.claude`,
    CLAUDE_CODE_TMPDIR: `${directory}/tmp`,
  })
})

test('the session file says how it was launched', () => {
  const { files } = plan(
    { worktree: { enabled: true } },
    { pod: 'p', overrides: { 'worktree.enabled': 'true' }, extra: ['--effort=high'] },
  )
  expect(sessionFile.parse(JSON.parse(files[0]?.text ?? ''))).toEqual({
    agent: 'coder',
    session_id: '00000000-0000-4000-8000-000000000001',
    agent_type: 'claude',
    role: 'coder',
    pod: 'p',
    overrides: { 'worktree.enabled': 'true' },
    cwd: '/home/user/.agency/worktrees/coder',
    worktree: '/home/user/project',
    arguments: ['--effort=high'],
    launched_at: '2026-01-01T00:00:00.000Z',
  })
})

test('the reviewer gets its instructions in a file', () => {
  const { files, reviewer } = plan({ permissions: { agent: { instructions: 'ALLOW: reading\n\n' } } })
  expect(reviewer).toBe(true)
  expect(files[1]).toEqual({
    path: `${session}/permission-reviewer.md`,
    text: 'ALLOW: reading\n',
    mode: 0o600,
    once: false,
  })
})

test.each([
  [{}, '/home/user/project', undefined],
  [{ root_dir: 'projects/x' }, '/home/user/.agency/projects/x', undefined],
  [{ root_dir: '/srv/x' }, '/srv/x', undefined],
  [
    { worktree: { enabled: true, branch_from: 'dev' } },
    '/home/user/.agency/worktrees/coder',
    {
      kind: 'worktree',
      repository: '/home/user/project',
      path: '/home/user/.agency/worktrees/coder',
      from: 'dev',
      branch: 'coder',
    },
  ],
  [
    { worktree: { enabled: true, use_detached_head: true } },
    '/home/user/.agency/worktrees/coder',
    {
      kind: 'worktree',
      repository: '/home/user/project',
      path: '/home/user/.agency/worktrees/coder',
      from: 'main',
    },
  ],
])('%j works in %s', (file, cwd, worktree) => {
  const made = plan(file as Partial<RoleFile>)
  expect([made.cwd, made.worktree]).toEqual([cwd, worktree])
})

test('a sandboxed agent gets a clone, a read-only tree if it may change nothing, and a short environment', () => {
  const tester = builtinRoles.find((one) => one.name === 'tester')
  const made = plan({ ...tester, worktree: { enabled: true } }, {}, { sandbox: { available: true } })
  expect([made.worktree?.kind, made.sandbox?.tree, made.order?.environment.inherit]).toEqual([
    'clone',
    'read-only',
    'listed',
  ])
  expect(made.launch.env.ANTHROPIC_API_KEY).toBeUndefined()
})

test('within walls an agent speaks to the model as it is told, and a command sees a short environment too', () => {
  const available = { sandbox: { available: true } }
  const model = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:3128/model', ANTHROPIC_API_KEY: 'placeholder' }
  const made = plan({ sandbox: { enabled: true } }, {}, { ...available, model })
  expect(made.launch.env).toMatchObject(model)
  const command = plan(
    { agent_type: 'command', command: 'vim', sandbox: { enabled: true } },
    {},
    { ...available, env: { PATH: '/bin', GITHUB_TOKEN: 'secret', LANG: 'C' } },
  )
  expect(command.launch.env).toMatchObject({ PATH: '/bin', LANG: 'C' })
  expect(command.launch.env).not.toHaveProperty('GITHUB_TOKEN')
})

const can = (...names: string[]): Partial<RoleFile> => ({
  capabilities: Object.fromEntries(names.map((name) => [`can_${name}`, true])),
})
const walls = { sandbox: { enabled: true } }

test('who may not read is refused it by the CLI itself too: a mention in a prompt is no call', () => {
  const denied = (more: Partial<RoleFile>): readonly string[] => plan(more).order?.deny ?? []
  const permissions = { deny: ['Bash(git push *)'] }
  expect(denied({ ...can('create_files'), permissions })).toEqual(['Bash(git push *)', 'Read'])
  expect(denied({ ...can('read_files'), permissions })).toEqual(['Bash(git push *)'])
})

const refused: readonly (readonly [string, Parameters<typeof request>, readonly string[]])[] = [
  ['a planner', [can('read_files')], []],
  ['a shell for who may only read', [can('read_files', 'execute_commands')], ['sandbox_missing']],
  [
    'the same where a sandbox could be made',
    [can('read_files', 'execute_commands'), {}, { sandbox: { available: true } }],
    ['sandbox_needed'],
  ],
  [
    'the same with a sandbox that is not there',
    [{ ...can('read_files', 'execute_commands'), ...walls }],
    ['sandbox_missing'],
  ],
  [
    'the same with one',
    [{ ...can('read_files', 'execute_commands'), ...walls }, {}, { sandbox: { available: true } }],
    [],
  ],
  [
    'a shell for who may not delete',
    [
      { ...can('read_files', 'write_files', 'create_files', 'execute_commands'), ...walls },
      {},
      { sandbox: { available: true } },
    ],
    ['not_enforceable'],
  ],
  [
    'a shell for who may not read',
    [{ ...can('execute_commands'), ...walls }, {}, { sandbox: { available: true } }],
    ['not_enforceable'],
  ],
  ['a role that asks for a sandbox', [walls], ['sandbox_missing']],
  ['a role that wants none', [{ sandbox: { enabled: false } }], []],
  [
    'a config directory that others use outside',
    [{ ...walls, claude_config_dir: '~/.claude' }, {}, { sandbox: { available: true } }],
    ['not_enforceable'],
  ],
  [
    'skipping permissions as root',
    [{ permission_mode: 'bypassPermissions' }, {}, { uid: 0 }],
    ['root_bypass'],
  ],
  [
    'skipping permissions as root in a sandbox',
    [{ permission_mode: 'bypassPermissions', ...walls }, {}, { uid: 0, sandbox: { available: true } }],
    [],
  ],
  ['a name that is taken', [{}, { name: 'busy' }], ['name_in_use']],
  ['a name that is none', [{}, { name: '../x' }], ['name_invalid']],
  ['a credential that is not stored', [{ credentials: ['github-token'] }], ['credential_missing']],
  ['options that loosen the role', [{}, { extra: ['--dangerously-skip-permissions'] }], ['order_refused']],
  ['a command without one', [{ agent_type: 'command' }], ['command_missing']],
  [
    'a command with limits',
    [{ agent_type: 'command', command: 'vim', ...can('read_files') }],
    ['hooks_missing'],
  ],
  [
    'a command with a rule',
    [{ agent_type: 'command', command: 'vim', permissions: { deny: ['Bash'] } }],
    ['hooks_missing'],
  ],
  [
    'a command with a budget of tokens',
    [{ agent_type: 'command', command: 'vim', budget: { tokens: 5 } }],
    ['hooks_missing'],
  ],
]

test.each(refused)('%s: refused for %j', (_, args, expected) => {
  expect(codes(...args)).toEqual(expected)
})

test('a refusal says what is wrong and what to do', () => {
  expect(refusals(walls).map(({ text }) => text)).toEqual([
    'the role asks for a sandbox, and there is none (bubblewrap is not installed); without `sandbox` in the role it runs with no walls around it',
  ])
  expect(refusals(can('read_files', 'execute_commands')).map(({ text }) => text)).toEqual([
    'the role may run commands but not change files: only a sandbox can hold a command to that, and there is none (bubblewrap is not installed); take `can_execute_commands` from the role, or give it every capability',
  ])
  expect(refusals({}, { name: 'busy' }).map(({ text }) => text)).toEqual([
    'an agent called "busy" is already running; `--name busy-1` is free',
  ])
})

test.each<[Partial<RoleFile>, Partial<PlanFacts>, readonly RegExp[]]>([
  [{}, {}, []],
  [{}, { uid: 0 }, [/you are root/]],
  [{ permission_mode: 'bypassPermissions' }, {}, [/skips permissions and has no sandbox/]],
  [{ claude_config_dir: '~/.claude' }, {}, [/can corrupt it/]],
  [{ review: { reviewer: 'subagent' } }, {}, [/reviewed by a process/]],
  [{ review: { reviewer: { kind: 'process', model: 'opus' } } }, {}, []],
  [{}, { env: {} }, [/credential set claude-token/]],
  [{}, { env: {}, credentials: { 'claude-token': 'x' } }, []],
  [{}, { env: {}, login: '/home/user/.claude' }, []],
])('%j %j warns %j', (file, changed, expected) => {
  const { warnings } = plan(file, {}, changed)
  expect(warnings.length).toBe(expected.length)
  for (const [place, words] of expected.entries()) expect(warnings[place]).toMatch(words)
})

test('a role of any command is launched as it is, with the names it needs', () => {
  const made = plan({ agent_type: 'command', command: ['vim', '-n'] }, { extra: ['a b'], pod: 'p' })
  expect([made.managed, made.launch.argv, made.order]).toEqual([false, ['vim', '-n', 'a b'], undefined])
  expect(made.launch.env).toMatchObject({
    AGENCY_ACTOR: 'coder',
    H2_ROLE: 'coder',
    AGENCY_POD: 'p',
    AGENCY_SESSION_DIR: session,
  })
  expect(made.files.map(({ path }) => path)).toEqual([`${session}/session.json`])
})

test('credentials reach only roles that name them; the login every agent of Claude', () => {
  const credentials = { 'claude-token': 'login-token', 'github-token': 'hub-token' }
  const none = plan({}, {}, { credentials }).launch.env
  expect([none.CLAUDE_CODE_OAUTH_TOKEN, none.GITHUB_TOKEN]).toEqual(['login-token', undefined])
  const named = plan({ credentials: ['github-token'] }, {}, { credentials }).launch.env
  expect([named.GITHUB_TOKEN, named.GH_TOKEN]).toEqual(['hub-token', 'hub-token'])
})

test('a command without a role: nothing is generated', () => {
  const planned = planCommand({ command: ['claude', '--continue'], facts })
  if ('refusals' in planned) throw new Error('refused')
  const { launch, warnings: _, ...rest } = planned.plan
  expect(rest).toEqual({
    agent: 'claude-2',
    overrides: {},
    managed: false,
    reviewer: false,
    cwd: '/home/user/project',
    directories: [],
    files: [],
  })
  expect(launch).toEqual({
    argv: ['claude', '--continue'],
    env: {
      PATH: '/usr/bin',
      HOME: '/home/user',
      ANTHROPIC_API_KEY: 'sk-ant-0123456789-0123456789',
      AGENCY_ACTOR: 'claude-2',
      H2_ACTOR: 'claude-2',
      AGENCY_ROOT: '/home/user/.agency',
      H2_DIR: '/home/user/.agency',
      AGENCY_SESSION: '00000000-0000-4000-8000-000000000001',
    },
  })
  expect(planCommand({ command: [], facts })).toEqual({
    refusals: [{ code: 'command_missing', text: 'a command must follow `--`' }],
  })
  expect(planCommand({ command: ['x'], name: 'busy', facts })).toMatchObject({
    refusals: [{ code: 'name_in_use' }],
  })
})

test.each([
  ['claude', 'claude-2'],
  ['/usr/bin/My Tool.sh', 'my-tool-sh-1'],
  ['ünïx', 'n-x-1'],
  ['///', 'agent-1'],
  ['x'.repeat(200), `${'x'.repeat(50)}-1`],
])('a program %j gets the name %s', (program, name) => {
  expect(freeName(program, facts.taken)).toBe(name)
})

test('a free name is free, and a name', () => {
  fc.assert(
    fc.property(fc.string(), fc.array(fc.constantFrom('agent-1', 'agent-2', 'a-1')), (program, taken) => {
      const name = freeName(program, taken)
      expect(agentName(name, taken)).toEqual({ name, refusals: [] })
    }),
  )
})

test('a plan that is shown holds no secret', () => {
  const credentials = { 'claude-token': 'login-secret-0123456789-abcdef', 'github-token': 'hub-secret-value' }
  const made = plan({ credentials: ['github-token'] }, {}, { credentials })
  const text = JSON.stringify(shownPlan(made))
  const secrets = [
    'hook-secret',
    'telemetry-secret',
    'login-secret',
    'hub-secret',
    '0123456789-0123456789',
    '0123456789-abcdef',
  ]
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
  expect(shownPlan(made).inherited).toEqual(['ANTHROPIC_API_KEY', 'GH_TOKEN', 'GITHUB_TOKEN', 'HOME', 'PATH'])
})

const anyCapabilities = fc.record<Capabilities>({
  can_read_files: fc.boolean(),
  can_write_files: fc.boolean(),
  can_create_files: fc.boolean(),
  can_delete_files: fc.boolean(),
  can_execute_commands: fc.boolean(),
  can_delegate_to_roles: fc.constantFrom([], ['actor']),
})

test('nothing is launched wider than its role says', () => {
  fc.assert(
    fc.property(
      anyCapabilities,
      fc.constantFrom(undefined, true, false),
      fc.boolean(),
      (may, enabled, available) => {
        const file = { capabilities: { ...may, can_delegate_to_roles: [...may.can_delegate_to_roles] } }
        const box = enabled === undefined ? {} : { sandbox: { enabled } }
        const planned = planRole(request({ ...file, ...box }, {}, { sandbox: { available } }))
        if ('refusals' in planned) return
        const { order, sandbox, launch } = planned.plan
        const all = may.can_read_files && may.can_write_files && may.can_create_files && may.can_delete_files
        const offered = (tool: string) => order?.tools?.includes(tool) ?? true
        if (offered('Bash'))
          expect(may.can_execute_commands && (all || sandbox?.tree === 'read-only')).toBe(true)
        if (offered('Edit')) expect(may.can_write_files).toBe(true)
        if (offered('Write')) expect(may.can_write_files || may.can_create_files).toBe(true)
        if (offered('Read')) expect(may.can_read_files).toBe(true)
        if (!may.can_execute_commands) expect(launch.argv).toContain('--disallowedTools=Bash')
        if (sandbox !== undefined) expect(available).toBe(true)
      },
    ),
  )
})
