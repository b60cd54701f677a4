import { expect, test } from 'vitest'
import type { RoleFile } from '../schema.ts'
import { checkRole } from './rules.ts'

const said = (role: Partial<RoleFile>) => {
  const remarks = checkRole({ name: 'r', instructions: 'i', ...role }, 'r')
  return {
    problems: remarks.filter((each) => !each.warning).map((each) => each.message),
    warnings: remarks
      .filter((each) => each.warning)
      .map((each) => (each.meant ? `${each.message} [${each.meant}]` : each.message)),
  }
}

test.each<[Partial<RoleFile>, string[], string[]]>([
  [{}, [], []],
  [{ name: 'other' }, ['name must be "r", as the file is called'], []],
  [{ agent_type: 'command' }, ['command is missing: `agent_type: command` needs the program to run'], []],
  [{ agent_type: 'command', command: ['x'] }, [], []],
  [{ agent_type: 'command', inherits: 'base' }, [], []],
  [{ command: ['x'] }, ['command needs `agent_type: command`; Claude Code is started by agency itself'], []],
  [
    { agent_type: 'command', command: 'x', model: 'opus', hooks: {} },
    [],
    ['model has no effect with `agent_type: command`', 'hooks has no effect with `agent_type: command`'],
  ],
  [
    { permissions: { deny: ['Bsh(rm *)'] } },
    [],
    ['permissions.deny[0]: "Bsh" is not a tool of Claude Code, so this rule matches nothing [Bash]'],
  ],
  [
    { permissions: { allow: ['Read', 'Bash(x'] } },
    ['permissions.allow[1]: "Bash(x" has a parenthesis without its other half'],
    [],
  ],
  [
    { permissions: { deny: ['Bash(\u202erm *)', 'Ba\u200bsh'] } },
    [0, 1].map(
      (at) => `permissions.deny[${at}] has an invisible character, so it is not the rule it looks like`,
    ),
    [],
  ],
  [
    { tests: { ask: ['bash'] } },
    ['tests.ask[0]: "bash" must start with a tool name, such as Bash or mcp__server__tool'],
    [],
  ],
  [
    { permissions: { allow: ['Read', 'Bash'], deny: ['Bash'] } },
    [],
    ['permissions.allow[1]: "Bash" is also denied, and deny wins'],
  ],
  [
    { capabilities: { can_read_files: true }, permissions: { allow: ['Read', 'Bash(make *)', 'mcp__x'] } },
    [],
    ['permissions.allow[1]: "Bash(make *)" has no effect: the role lacks can_execute_commands'],
  ],
  [
    { permissions: { agent: { enabled: true } } },
    [],
    ['permissions.agent.enabled has no effect without instructions: every request goes to you'],
  ],
  [
    { permission_mode: 'bypassPermissions' },
    [],
    ['permission_mode is bypassPermissions without `sandbox: {enabled: true}`: only hooks hold'],
  ],
  [{ permission_mode: 'bypassPermissions', sandbox: { enabled: true } }, [], []],
  [{ permission_mode: 'auto' }, [], ['permission_mode is auto: Claude decides by itself, and asks nobody']],
  [
    { credentials: ['github-token', 'githb-token', 'x'] },
    [],
    [
      'credentials[1]: "githb-token" is no credential of agency [github-token]',
      'credentials[2]: "x" is no credential of agency',
    ],
  ],
  [
    { model: 'opus', settings: { model: 'haiku' } },
    [],
    ['settings.model has no effect: `model` of the role wins'],
  ],
])('%j', (role, problems, warnings) => {
  expect(said(role)).toEqual({ problems, warnings })
})
