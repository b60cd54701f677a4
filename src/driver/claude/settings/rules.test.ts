import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { order } from '../../../../test/samples/order.ts'
import { features, oldest, parseVersion } from '../version/rules.ts'
import { reservedSettings, settings, settingsProblems } from './rules.ts'
import { longestTimeout } from './schema.ts'

const now = features(parseVersion('2.1.325') ?? oldest)
const old = features(oldest)

const headers = { Authorization: 'Bearer hook-secret' }
const watch = (timeout: number) => [
  { hooks: [{ type: 'http', url: order.keeper.hookUrl, headers, timeout }] },
]
const decide = (timeout: number) => [
  { hooks: [{ type: 'http', url: order.keeper.hookUrl, headers, timeout, onFailure: 'block' }] },
]
const line = (name: string, deadline: number) =>
  'unset NODE_OPTIONS NODE_EXTRA_CA_CERTS; ' +
  `export AGENCY_HOOK='http://127.0.0.1:4000/hook' AGENCY_HOOK_TOKEN='hook-secret' AGENCY_HOOK_DEADLINE_MS='${deadline}'; ` +
  `exec /usr/bin/node /opt/agency/hook.cjs ${name}`
const command = (name: string, timeout: number) => [
  { hooks: [{ type: 'command', command: line(name, timeout * 1000 - 2000), timeout }] },
]
const generated = {
  disableAllHooks: false,
  allowedHttpHookUrls: ['http://127.0.0.1:4000/hook'],
  permissions: { allow: [], deny: [] },
  hooks: {
    SessionStart: command('SessionStart', 30),
    UserPromptSubmit: decide(60),
    PreToolUse: decide(3600),
    PermissionRequest: decide(3600),
    PermissionDenied: watch(10),
    PostToolUse: watch(10),
    PostToolUseFailure: watch(10),
    Notification: watch(10),
    SubagentStart: watch(10),
    SubagentStop: watch(60),
    PreCompact: watch(10),
    PostCompact: watch(10),
    ConfigChange: decide(30),
    Stop: command('Stop', 3600),
    StopFailure: watch(10),
    SessionEnd: watch(5),
  },
}

test('the settings of an agent', () => {
  expect(settings(order, now)).toEqual(generated)
})

test('a headless session starts no program', () => {
  const { SessionStart: _start, Stop: _stop, SessionEnd: _end, ...hooks } = generated.hooks
  expect(settings({ ...order, terminal: false, prompt: 'x' }, now)).toEqual({ ...generated, hooks })
})

test('a CLI whose HTTP hooks fail open decides by commands', () => {
  expect(settings(order, old)).toEqual({
    ...generated,
    hooks: {
      ...generated.hooks,
      UserPromptSubmit: command('UserPromptSubmit', 60),
      PreToolUse: command('PreToolUse', 3600),
      PermissionRequest: command('PermissionRequest', 3600),
      ConfigChange: command('ConfigChange', 30),
    },
  })
})

test('a shell reads back what the command line was given, whatever is in it', () => {
  const hookToken = `a'b"c$(d) \\`
  const keeper = { ...order.keeper, hookToken, hookCommand: 'printenv AGENCY_HOOK_TOKEN; :' }
  const [entry] = settings({ ...order, keeper }, now).hooks.Stop ?? []
  const command = String(entry?.hooks[0]?.command).replace('exec ', '')
  expect(execFileSync('/bin/sh', ['-c', command], { encoding: 'utf8' })).toBe(`${hookToken}\n`)
})

test('a role adds permissions, settings and hooks in both forms, behind ours', () => {
  const role = {
    allow: ['Read'],
    deny: ['Bash(rm -rf *)'],
    settings: { enabledPlugins: {}, env: { DEBUG: '1' } },
    hooks: {
      PostToolUse: [{ matcher: 'Bash', command: 'notify.sh', timeout: 10 }],
      Setup: [{ command: 'setup.sh' }],
      PreToolUse: [
        {
          matcher: 'Write|Edit',
          hooks: [
            { type: 'http', url: 'https://example.com/hook', extra: true },
            { type: 'prompt', prompt: 'Is it kind?' },
          ],
        },
      ],
    },
  }
  expect(settingsProblems(role)).toEqual([])
  expect(settings({ ...order, ...role }, now)).toEqual({
    ...generated,
    enabledPlugins: {},
    env: { DEBUG: '1' },
    allowedHttpHookUrls: ['http://127.0.0.1:4000/hook', 'https://example.com/hook'],
    permissions: { allow: ['Read'], deny: ['Bash(rm -rf *)'] },
    hooks: {
      ...generated.hooks,
      Setup: [{ hooks: [{ type: 'command', command: 'setup.sh' }] }],
      PreToolUse: [...decide(3600), role.hooks.PreToolUse[0]],
      PostToolUse: [
        ...watch(10),
        { matcher: 'Bash', hooks: [{ type: 'command', command: 'notify.sh', timeout: 10 }] },
      ],
    },
  })
})

test('no reserved setting gets through, and each is named', () => {
  const given = Object.fromEntries(Object.keys(reservedSettings).map((name) => [name, true]))
  expect(settings({ ...order, settings: given }, now)).toEqual(generated)
  expect(settingsProblems({ settings: given })).toEqual(
    Object.entries(reservedSettings).map(([name, why]) => `settings.${name} cannot be set: ${why}`),
  )
})

test('a hold longer than a timer can count is cut', () => {
  const { PreToolUse } = settings({ ...order, holdSeconds: 3_000_000 }, now).hooks
  expect(PreToolUse).toEqual(decide(longestTimeout))
})

test.each([
  [{ settings: { env: { LD_PRELOAD: 'x' } } }, ['settings.env: the variable LD_PRELOAD cannot be set']],
  [
    { settings: { env: { CLAUDE_CODE_SIMPLE: '1' } } },
    ['settings.env: the variable CLAUDE_CODE_SIMPLE cannot be set'],
  ],
  [{ settings: { env: { A: 1 } } }, ['settings.env: must be a table of texts']],
  [{ settings: { env: 'A=1' } }, ['settings.env: must be a table of texts']],
])('settings of a role that are refused %#', (role, problems) => {
  expect(settingsProblems(role)).toEqual(problems)
})

test.each([
  { PreToolUze: [{ command: 'x' }] },
  { PreToolUse: [{ command: '' }] },
  { PreToolUse: [{ command: 'x', timout: 1 }] },
  { PreToolUse: [{ hooks: [] }] },
  { PreToolUse: [{ hooks: [{ type: 'shell', command: 'x' }] }] },
  { PreToolUse: [{ hooks: [{ type: 'http', url: 'file:///etc/passwd' }] }] },
  { PreToolUse: [{ command: 'x', timeout: '10' }] },
  { PreToolUse: { command: 'x' } },
])('a hook that would void the whole file is refused: %j', (hooks) => {
  const problems = settingsProblems({ hooks })
  expect(problems).toHaveLength(1)
  expect(problems[0]).toMatch(/^hooks\./)
})
