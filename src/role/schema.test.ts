import { expect, test } from 'vitest'
import { check } from '../base/problem/rules.ts'
import { events } from '../driver/claude/settings/schema.ts'
import { roleFile } from './schema.ts'

const said = (fields: object): string[] => {
  const checked = check(roleFile, { name: 'r', instructions: 'i', ...fields })
  return 'issues' in checked ? checked.issues.map((each) => each.message) : []
}

test('a role with every block is read as it is written', () => {
  const role = {
    name: 'r',
    description: 'd',
    inherits: 'actor',
    agent_type: 'scripted',
    command: ['a', 'b c'],
    model: 'us.anthropic.claude-opus-5-5:0[1m]',
    permission_mode: 'acceptEdits',
    system_prompt: 's',
    instructions: 'i',
    root_dir: 'projects/x',
    claude_config_dir: '/c',
    pod: 'p',
    capabilities: { can_read_files: true, can_delegate_to_roles: ['planner'] },
    permissions: { allow: ['Read'], deny: [], agent: { enabled: false, instructions: 'x' } },
    credentials: ['github-token'],
    sandbox: {
      enabled: true,
      network: 'proxy',
      allowed_hosts: ['*.example.com', 'x.org:443'],
      memory_mb: 2048,
    },
    review: {
      mode: 'always',
      reviewer: 'process',
      gates: { tools: ['Bash:gh issue close*'], approval_scope: 'tool', approval_ttl_seconds: 60 },
      circuit_breaker: { max_blocks: 3, cooldown_seconds: 300 },
      templates: { active: 'v1', weights: { v1: 3, v2: 0.5 } },
      trace: { max_events: 100 },
    },
    budget: { turns: 1, tokens: 2, cost_usd: 0.5, wall_time: '1h', runs: 3 },
    worktree: { enabled: true, branch_from: 'origin/main', use_detached_head: true },
    heartbeat: { idle_timeout: '10m', message: 'm', condition: 'test -f x' },
    hooks: { Stop: [{ matcher: '', hooks: [{ type: 'command', command: 'x', timeout: 5, async: true }] }] },
    settings: { enabledPlugins: {}, env: { FOO: 'x' } },
    project_settings: 'ignore',
    style: { color: 'blue', icon: 'search' },
    tests: { allow: ['Read(x)'], ask: [{ tool: 'Bash', input: { command: 'ls' } }], deny: ['Bash(rm x)'] },
  }
  expect(roleFile.parse(role)).toEqual(role)
})

test.each<[object, string[]]>([
  [{}, []],
  [{ name: undefined }, ['name is missing']],
  [{ instructions: undefined }, ['needs `instructions` or `system_prompt`: what the agent is told']],
  [{ instructions: ' \n' }, ['needs `instructions` or `system_prompt`: what the agent is told']],
  [{ instructions: undefined, system_prompt: 's' }, []],
  [{ instructions: undefined, inherits: 'actor' }, []],
  [{ instruction: 'x' }, ['unknown field instruction']],
  [{ capabilities: { can_delegate_to_roles: ['Planner', 'Actor'] } }, []],
  [
    { capabilities: { can_write_files: 'yes' } },
    ['capabilities.can_write_files must be true or false, not a string'],
  ],
  [{ capabilities: { can_write_file: true } }, ['unknown field capabilities.can_write_file']],
  [{ permissions: { deny: 'Bash' } }, ['permissions.deny must be a list, not a string']],
  [{ permissions: { allow: [1] } }, ['permissions.allow[0] must be a string, not a number']],
  [{ model: '--help' }, ['model must be the name of a model, such as opus or sonnet']],
  [{ model: 'opus; rm' }, ['model must be the name of a model, such as opus or sonnet']],
  [{ command: 'sh -c "x"' }, ['command is not run by a shell: write a list, one argument each']],
  [{ command: [] }, ['command must not be empty']],
  [{ root_dir: 'a\nb' }, ['root_dir must be a path on one line, without control characters']],
  [{ credentials: ['../x'] }, [expect.stringContaining('credentials[0] must be a name')]],
  [{ inherits: '../x' }, [expect.stringContaining('inherits must be a name')]],
  [
    { worktree: { branch_from: '--upload-pack=x' } },
    [expect.stringContaining('worktree.branch_from must be a branch')],
  ],
  [
    { heartbeat: { idle_timeout: 600 } },
    ['heartbeat.idle_timeout must be a time with its unit, such as 30s, 10m or 1h30m'],
  ],
  [{ budget: { turns: 0 } }, [expect.stringContaining('budget.turns must be')]],
  [{ review: { mode: 'sometimes' } }, ['review.mode must be one of prompt, always, never, not "sometimes"']],
  [{ review: { gates: { tool: [] } } }, ['unknown field review.gates.tool']],
  [{ style: { color: 'mauve' } }, [expect.stringContaining('style.color must be one of blue')]],
  [{ style: { icon: '<svg>' } }, ['style.icon must be the name of an icon, such as bolt']],
  [
    { sandbox: { read_only_paths: ['/proc/1'] } },
    ['sandbox.read_only_paths[0] is refused: through it an agent leaves the sandbox'],
  ],
  [
    { sandbox: { network: 'proxy', allowed_hosts: ['http://x'] } },
    ['sandbox.allowed_hosts[0] must be a host, such as example.com or *.example.com'],
  ],
  ...[
    'hooks',
    'disableAllHooks',
    'allowManagedHooksOnly',
    'allowedHttpHookUrls',
    'httpHookAllowedEnvVars',
    'permissions',
  ].map((key): [object, string[]] => [
    { settings: { [key]: true } },
    [expect.stringContaining(`settings.${key} is reserved`)],
  ]),
  ...[
    'AGENCY_ACTOR',
    'H2_ROLE',
    'OTEL_LOGS_EXPORTER',
    'CLAUDE_CONFIG_DIR',
    'CLAUDE_CODE_ENABLE_TELEMETRY',
  ].map((key): [object, string[]] => [
    { settings: { env: { [key]: '' } } },
    [`settings.env.${key} is reserved: agency sets it`],
  ]),
  [{ settings: { env: ['a'] } }, ['settings.env must be an object: NAME: value']],
  [
    { settings: { env: { A: 'x', B: 5, C: null } } },
    ['settings.env.B must be a string', 'settings.env.C must be a string'],
  ],
  [
    { hooks: { Stop: [{ command: 'x', hooks: [{ type: 'command', command: 'y' }] }] } },
    [expect.stringContaining('hooks.Stop[0] needs either')],
  ],
  [{ hooks: { Stop: [{ hooks: [{ type: 'command' }] }] } }, ['hooks.Stop[0].hooks[0].command is missing']],
  [
    { hooks: { Stop: [{ hooks: [{ type: 'comand' }] }] } },
    [expect.stringContaining('hooks.Stop[0].hooks[0].type must be one of command')],
  ],
  [
    { hooks: { Stop: [{ timeout: 5, hooks: [{ type: 'command', command: 'y' }] }] } },
    ['hooks.Stop[0].timeout: belongs to each of the hooks below it'],
  ],
  [{ hooks: { Stop: { command: 'x' } } }, ['hooks.Stop must be a list, not an object']],
  [{ command: [''] }, ['command[0] must be the program to run']],
  [{ command: ['ls', 'a\0b'] }, ['command[1] must not hold NUL']],
  [{ root_dir: 'a\u001b[31m' }, ['root_dir must be a path on one line, without control characters']],
])('%j', (fields, messages) => {
  expect(said(fields)).toEqual(messages)
})

test('every event of the CLI may have hooks', () => {
  expect(events).toHaveLength(33)
  for (const event of events) expect(said({ hooks: { [event]: [{ command: 'x' }] } })).toEqual([])
})
