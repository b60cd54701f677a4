import { expect, test } from 'vitest'
import { everything, nothing } from './capability/schema.ts'
import { defaultNudge } from './heartbeat/schema.ts'
import { completeRole, rootDirectory } from './rules.ts'

test('a minimal role gets every default', () => {
  expect(completeRole({ name: 'r', instructions: 'i' })).toEqual({
    name: 'r',
    instructions: 'i',
    agent_type: 'claude',
    command: [],
    permission_mode: 'default',
    root_dir: '.',
    capabilities: everything,
    permissions: { allow: [], deny: [], agent: { enabled: false, instructions: '' } },
    credentials: [],
    budget: {},
    worktree: { enabled: false, branch_from: 'main', use_detached_head: false },
    hooks: {},
    settings: {},
    project_settings: 'use',
    style: {},
    tests: {},
    tools: {},
  })
})

test('an empty text is the same as none, and an empty block has its defaults', () => {
  const role = completeRole({
    name: 'r',
    instructions: 'i',
    system_prompt: ' ',
    description: '',
    model: '',
    claude_config_dir: '',
    root_dir: '',
    heartbeat: {},
    capabilities: {},
    command: ' agent  --fast ',
    permissions: { agent: { enabled: true } },
  })
  expect(role).toMatchObject({
    root_dir: '.',
    heartbeat: { idle_timeout: '10m', message: defaultNudge, condition: '' },
    capabilities: nothing,
    command: ['agent', '--fast'],
    permissions: { agent: { enabled: false, instructions: '' } },
  })
  for (const key of ['description', 'model', 'claude_config_dir', 'system_prompt']) {
    expect(role).not.toHaveProperty(key)
  }
})

test.each([
  [undefined, true],
  [true, true],
  [false, false],
])('a reviewer with instructions and enabled %j reviews: %j', (enabled, expected) => {
  const agent = { instructions: 'look', ...(enabled !== undefined && { enabled }) }
  const role = completeRole({ name: 'r', instructions: 'i', permissions: { agent } })
  expect(role.permissions.agent).toEqual({ enabled: expected, instructions: 'look' })
})

const from = { cwd: '/home/me/app', root: '/home/me/.agency', home: '/home/me' }
test.each([
  ['.', '/home/me/app'],
  ['', '/home/me/app'],
  ['projects/x', '/home/me/.agency/projects/x'],
  ['./projects/x/', '/home/me/.agency/projects/x'],
  ['../x', '/home/me/x'],
  ['/srv/app', '/srv/app'],
  ['/srv/../etc', '/etc'],
  ['~/code', '/home/me/code'],
  ['~', '/home/me'],
])('root_dir %j is %s', (rootDir, expected) => {
  expect(rootDirectory(rootDir, from)).toBe(expected)
})
