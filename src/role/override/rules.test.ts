import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RoleFile } from '../schema.ts'
import { applyOverrides } from './rules.ts'

const role: RoleFile = { name: 'r', instructions: 'i', budget: { turns: 10, wall_time: '1h' } }

test.each<[string[], Partial<RoleFile>, Record<string, string>]>([
  [[], {}, {}],
  [['root_dir=/tmp/x'], { root_dir: '/tmp/x' }, { root_dir: '/tmp/x' }],
  [['agent_type=scripted'], { agent_type: 'scripted' }, { agent_type: 'scripted' }],
  [['model=opus'], { model: 'opus' }, { model: 'opus' }],
  [['model='], { model: '' }, { model: '' }],
  [['claude_config_dir=/c'], { claude_config_dir: '/c' }, { claude_config_dir: '/c' }],
  [
    ['worktree.enabled=TRUE', 'worktree.branch_from=dev', 'worktree.use_detached_head=false'],
    { worktree: { enabled: true, branch_from: 'dev', use_detached_head: false } },
    { 'worktree.enabled': 'TRUE', 'worktree.branch_from': 'dev', 'worktree.use_detached_head': 'false' },
  ],
  [
    ['heartbeat.idle_timeout=5m', 'heartbeat.message=a=b c', 'heartbeat.condition=test -f x'],
    { heartbeat: { idle_timeout: '5m', message: 'a=b c', condition: 'test -f x' } },
    {
      'heartbeat.idle_timeout': '5m',
      'heartbeat.message': 'a=b c',
      'heartbeat.condition': 'test -f x',
    },
  ],
  [['budget.turns=9'], { budget: { turns: 9, wall_time: '1h' } }, { 'budget.turns': '9' }],
  [['budget.wall_time=59m'], { budget: { turns: 10, wall_time: '59m' } }, { 'budget.wall_time': '59m' }],
  [['budget.runs=3'], { budget: { turns: 10, wall_time: '1h', runs: 3 } }, { 'budget.runs': '3' }],
  [['model=a', 'model=b'], { model: 'b' }, { model: 'b' }],
])('%j changes the role', (given, changes, overrides) => {
  expect(applyOverrides(role, given)).toEqual({ role: { ...role, ...changes }, overrides })
})

test.each([
  ['model', '"model" must be key=value, such as worktree.enabled=true'],
  ['=x', '"=x" must be key=value, such as worktree.enabled=true'],
  ['', '"" must be key=value, such as worktree.enabled=true'],
  ['worktre.enabled=true', 'unknown key worktre.enabled (did you mean worktree.enabled?)'],
  ['worktree.enable=true', 'unknown key worktree.enable (did you mean worktree.enabled?)'],
  ['nonsense=1', 'unknown key nonsense'],
  ['__proto__.x=1', 'unknown key __proto__.x'],
  ['constructor.prototype.x=1', 'unknown key constructor.prototype.x'],
  ['worktree.__proto__=1', 'unknown key worktree.__proto__'],
  ['model.x=1', 'unknown key model.x: model is a single value'],
  ['worktree=true', 'worktree is a block: name one of its keys, such as worktree.enabled'],
  ['name=x', 'name cannot be overridden: it is what the role is'],
  ['instructions=x', 'instructions cannot be overridden: edit the role file'],
  ['system_prompt=x', 'system_prompt cannot be overridden: edit the role file'],
  ['hooks.Stop=x', 'hooks cannot be overridden: edit the role file'],
  ['settings.x=1', 'settings cannot be overridden: edit the role file'],
  ...[
    'command',
    'permissions.agent.enabled',
    'permission_mode',
    'capabilities.can_write_files',
    'credentials',
    'sandbox.enabled',
    'review.mode',
    'inherits',
    'project_settings',
  ].map((key) => [
    `${key}=x`,
    `${key.split('.')[0]} cannot be overridden: what a role may do is decided in its file`,
  ]),
  ['worktree.enabled=yes', 'worktree.enabled must be true or false, not a string (did you mean true?)'],
  ['budget.tokens=many', 'budget.tokens must be a number, not a string'],
  ['budget.per=day', 'budget.per can only be made tighter than in the role'],
  ['budget.turns=11', 'budget.turns can only be made tighter than in the role'],
  ['budget.wall_time=61m', 'budget.wall_time can only be made tighter than in the role'],
  [
    'worktree.branch_from=--upload-pack=x',
    'worktree.branch_from must be a branch, tag or commit: no blanks, not starting with a dash, no "..", "~", "^" or ":"',
  ],
  [
    'agent_type=clude',
    'agent_type must be one of claude, command, scripted, not "clude" (did you mean claude?)',
  ],
  [
    'heartbeat.idle_timeout=10',
    'heartbeat.idle_timeout must be a time with its unit, such as 30s, 10m or 1h30m',
  ],
])('%j is refused', (text, problem) => {
  expect(applyOverrides(role, [text])).toEqual({ problems: [problem] })
})

test('one bad override and none holds; each is named', () => {
  expect(applyOverrides(role, ['model=opus', 'x=1', 'name=y'])).toEqual({
    problems: ['unknown key x', 'name cannot be overridden: it is what the role is'],
  })
  expect(Object.prototype).not.toHaveProperty('x')
  expect(role).toEqual({ name: 'r', instructions: 'i', budget: { turns: 10, wall_time: '1h' } })
})

test('whatever is typed, it is refused with words or is a role of the same authority', () => {
  const word = fc.constantFrom(
    'budget',
    'turns',
    'worktree',
    'enabled',
    'model',
    'permissions',
    '__proto__',
    'constructor',
    '',
    'x',
  )
  const text = fc
    .tuple(fc.array(word, { maxLength: 4 }), fc.string({ maxLength: 8 }))
    .map(([keys, value]) => `${keys.join('.')}=${value}`)
  const held = [
    'name',
    'instructions',
    'permissions',
    'capabilities',
    'sandbox',
    'review',
    'inherits',
  ] as const
  fc.assert(
    fc.property(fc.array(fc.oneof(text, fc.string()), { maxLength: 3 }), (given) => {
      const changed = applyOverrides(role, given)
      if ('problems' in changed) {
        expect(changed.problems.every((each) => each !== '')).toBe(true)
        return
      }
      for (const key of held) expect(changed.role[key]).toEqual(role[key])
      expect(Object.getPrototypeOf(changed.role)).toBe(Object.prototype)
      expect(changed.role.budget?.turns).toBeLessThanOrEqual(10)
    }),
  )
})
