import fc from 'fast-check'
import { expect, test } from 'vitest'
import { planner } from '../builtin/planner/schema.ts'
import { tester } from '../builtin/tester/schema.ts'
import { nothing } from '../capability/schema.ts'
import { completeRole } from '../rules.ts'
import type { RoleFile } from '../schema.ts'
import { joinRoles, widenings } from './rules.ts'

const parent: RoleFile = {
  name: 'base',
  description: 'Base',
  instructions: 'of base',
  model: 'opus',
  credentials: ['github-token'],
  permissions: { allow: ['Read'], deny: ['Bash(sudo *)'], agent: { enabled: true, instructions: 'look' } },
  hooks: { Stop: [{ command: 'a' }] },
  settings: { enabledPlugins: { x: true }, theme: 'dark' },
  worktree: { enabled: true, branch_from: 'dev' },
  sandbox: { enabled: true, allow_network: false },
  budget: { turns: 10, wall_time: '1h' },
  tests: { deny: ['Bash(sudo x)'] },
}

test('a silent child is its parent under another name', () => {
  const { tests: _tests, ...rest } = parent
  expect(joinRoles(parent, { name: 'child', inherits: 'base' })).toEqual({ ...rest, name: 'child' })
})

test('what a child says holds, denies and hooks add up, blocks join key by key', () => {
  const child: RoleFile = {
    name: 'child',
    inherits: 'base',
    instructions: 'of child',
    credentials: [],
    permissions: { allow: ['Bash(sudo *)', 'Read'], deny: ['Write'], agent: { instructions: 'look closer' } },
    hooks: { Stop: [{ command: 'b' }], PreToolUse: [{ command: 'c' }] },
    settings: { enabledPlugins: { y: true }, theme: 'light' },
    worktree: { branch_from: 'main' },
    sandbox: { network: 'proxy', allowed_hosts: ['example.com'] },
    budget: { turns: 5 },
    tests: { deny: ['Write(x)'] },
  }
  expect(joinRoles(parent, child)).toEqual({
    name: 'child',
    description: 'Base',
    instructions: 'of child',
    model: 'opus',
    credentials: [],
    permissions: {
      allow: ['Read', 'Bash(sudo *)'],
      deny: ['Bash(sudo *)', 'Write'],
      agent: { enabled: true, instructions: 'look closer' },
    },
    hooks: { Stop: [{ command: 'a' }, { command: 'b' }], PreToolUse: [{ command: 'c' }] },
    settings: { enabledPlugins: { x: true, y: true }, theme: 'light' },
    worktree: { enabled: true, branch_from: 'main' },
    sandbox: { enabled: true, network: 'proxy', allowed_hosts: ['example.com'] },
    budget: { turns: 5, wall_time: '1h' },
    tests: { deny: ['Write(x)'] },
  })
})

test.each<[RoleFile, RoleFile['capabilities'], object]>([
  [planner, undefined, { ...nothing, can_read_files: true }],
  [planner, { can_create_files: true }, { ...nothing, can_read_files: true, can_create_files: true }],
  [tester, { can_execute_commands: false }, { ...nothing, can_read_files: true }],
  [
    { name: 'base' },
    { can_delete_files: false },
    {
      can_read_files: true,
      can_write_files: true,
      can_create_files: true,
      can_execute_commands: true,
      can_delete_files: false,
      can_delegate_to_roles: [],
    },
  ],
])('capabilities of %j with %j', (from, capabilities, expected) => {
  const child: RoleFile = { name: 'child', inherits: from.name, ...(capabilities && { capabilities }) }
  expect(completeRole(joinRoles(from, child)).capabilities).toEqual(expected)
})

test('every line that is wider than the parent is named', () => {
  const child: RoleFile = {
    name: 'child',
    inherits: 'tester',
    capabilities: { can_write_files: true, can_read_files: true, can_delegate_to_roles: ['actor'] },
    sandbox: { enabled: false, network: 'full' },
    permission_mode: 'bypassPermissions',
    budget: { turns: 11, wall_time: '30m', tokens: 5 },
  }
  const above = {
    ...tester,
    sandbox: { enabled: true, allow_network: false },
    budget: { turns: 10, wall_time: '1h' },
  }
  expect(widenings(above, child).map((each) => each.message)).toEqual([
    'capabilities.can_write_files is wider than in tester, which it inherits',
    'capabilities.can_delegate_to_roles is wider than in tester, which it inherits',
    'sandbox.enabled is wider than in tester, which it inherits',
    'sandbox.network is wider than in tester, which it inherits',
    'permission_mode is wider than in tester, which it inherits',
    'budget.turns is wider than in tester, which it inherits',
  ])
  expect(widenings(above, { name: 'child', inherits: 'tester', description: 'x' })).toEqual([])
})

test('a tool of a server that needs less than in the parent is named', () => {
  const above: RoleFile = {
    ...tester,
    tools: { mcp__docs: ['can_read_files'], mcp__ci__run: ['can_read_files', 'can_execute_commands'] },
  }
  const child: RoleFile = {
    name: 'child',
    inherits: 'tester',
    tools: { mcp__ci__run: ['can_read_files'], mcp__new: [] },
  }
  expect(widenings(above, child).map((each) => each.message)).toEqual([
    'tools.mcp__ci__run is wider than in tester, which it inherits',
  ])
  expect(joinRoles(above, child).tools).toEqual({
    mcp__docs: ['can_read_files'],
    mcp__ci__run: ['can_read_files'],
    mcp__new: [],
  })
})

test('no child loses a deny rule of an ancestor, and none is wider without writing it', () => {
  const rules = fc.subarray(['Bash', 'Write', 'Edit(src/**)', 'WebFetch'])
  const yes = fc.option(fc.boolean(), { nil: undefined })
  const file = fc.record({ deny: rules, allow: rules, write: yes, execute: yes, caps: fc.boolean() }).map(
    ({ deny, allow, write, execute, caps }): RoleFile => ({
      name: 'r',
      permissions: { deny, allow },
      ...(caps && {
        capabilities: {
          ...(write !== undefined && { can_write_files: write }),
          ...(execute !== undefined && { can_execute_commands: execute }),
        },
      }),
    }),
  )
  fc.assert(
    fc.property(file, file, file, (a, b, c) => {
      const above = completeRole(joinRoles(a, b))
      const below = completeRole(joinRoles(joinRoles(a, b), c))
      for (const rule of [a, b, c].flatMap((each) => each.permissions?.deny ?? [])) {
        expect(below.permissions.deny).toContain(rule)
      }
      for (const ability of ['can_write_files', 'can_execute_commands', 'can_delete_files'] as const) {
        if (below.capabilities[ability] && !above.capabilities[ability]) {
          expect(c.capabilities?.[ability]).toBe(true)
        }
      }
    }),
  )
})

test('a child that goes back to Claude leaves the program of its parent behind', () => {
  const runner: RoleFile = { name: 'runner', instructions: 'i', agent_type: 'command', command: ['x'] }
  expect(joinRoles(runner, { name: 'c', agent_type: 'claude' })).toEqual({
    name: 'c',
    instructions: 'i',
    agent_type: 'claude',
  })
  expect(joinRoles(runner, { name: 'c' })).toMatchObject({ agent_type: 'command', command: ['x'] })
})

test('a gate of the parent never goes away; the rest of a review joins key by key', () => {
  const above: RoleFile = {
    name: 'base',
    instructions: 'x',
    review: { mode: 'always', reviewer: 'subagent', gates: { tools: ['Bash:a*'], approval_scope: 'tool' } },
  }
  const child: RoleFile = {
    name: 'child',
    inherits: 'base',
    review: { mode: 'never', reviewer: { model: 'opus' }, gates: { tools: ['Bash:b*'], skip: ['Bash:b x'] } },
  }
  expect(joinRoles(above, child).review).toEqual({
    mode: 'never',
    reviewer: { kind: 'subagent', model: 'opus' },
    gates: { tools: ['Bash:a*', 'Bash:b*'], skip: ['Bash:b x'], approval_scope: 'tool' },
  })
  expect(widenings(above, child).map((each) => each.message)).toEqual([
    'review.mode is wider than in base, which it inherits',
  ])
})
