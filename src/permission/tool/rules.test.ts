import fc from 'fast-check'
import { expect, test } from 'vitest'
import { builtinRoles } from '../../role/builtin/schema.ts'
import { abilities, type Capabilities, everything, nothing } from '../../role/capability/schema.ts'
import { completeCapabilities } from '../../role/rules.ts'
import { knownTools } from '../rule/schema.ts'
import { asksPerson, lackedFor, mayUse, needOf, needsWalls, offeredTools, wordFor } from './rules.ts'
import { former, permissions, toolNeeds } from './schema.ts'

const of = (name: string): Capabilities =>
  completeCapabilities(builtinRoles.find((role) => role.name === name)?.capabilities)

const limits = (capabilities: Capabilities, tools = {}) => ({ capabilities, tools })

const roles = ['planner', 'actor', 'commander', 'designer', 'reviewer', 'tester']

/** Every tool, what it needs, and which of the roles above are offered it. */
const table = `
Read                  r       PACDRT
NotebookRead          r       PACDRT
Glob                  r       PACDRT
Grep                  r       PACDRT
LS                    r       PACDRT
LSP                   r       PACDRT
ListMcpResourcesTool  r       PACDRT
ReadMcpResourceTool   r       PACDRT
Edit                  w       .A....
MultiEdit             w       .A....
NotebookEdit          w       .A....
Write                 w|c     .A.D..
Bash                  x       .A...T
BashOutput            x       .A...T
KillShell             x       .A...T
PowerShell            x       .A...T
Monitor               x       .A...T
Skill                 rx      .A...T
SlashCommand          rx      .A...T
CronCreate            x       .A...T
CronDelete            x       .A...T
RemoteTrigger         x       .A...T
EnterWorktree         cx      .A....
ExitWorktree          dx      .A....
Agent                 D       .AC...
Task                  D       .AC...
TaskOutput            D       .AC...
TaskStop              D       .AC...
SendMessage           D       .AC...
TeamCreate            D       .AC...
TeamDelete            D       .AC...
ListAgents            D       .AC...
Workflow              Dx      .A....
AskUserQuestion       -       PACDRT
CronList              -       PACDRT
EnterPlanMode         -       PACDRT
ExitPlanMode          -       PACDRT
PushNotification      -       PACDRT
ReportFindings        -       PACDRT
ScheduleWakeup        -       PACDRT
StructuredOutput      -       PACDRT
TaskCreate            -       PACDRT
TaskGet               -       PACDRT
TaskList              -       PACDRT
TaskUpdate            -       PACDRT
TodoWrite             -       PACDRT
ToolSearch            -       PACDRT
WebFetch              -       PACDRT
WebSearch             -       PACDRT
`
const rows = table
  .trim()
  .split('\n')
  .map((row) => row.split(/ +/) as [string, string, string])

const letters = { read: 'r', write: 'w', create: 'c', delete: 'd', execute: 'x', delegate: 'D' } as const

const spelled = (tool: string): string => {
  const { all, any } = needOf(tool, {})
  const text = [all.map((one) => letters[one]).join(''), (any ?? []).map((one) => letters[one]).join('|')]
  return text.join('') || '-'
}

test.each(rows)('%s needs %s and is for %s', (tool, need, offered) => {
  expect(spelled(tool)).toBe(need)
  const shown = roles.map((role, place) => (mayUse(limits(of(role)), tool) ? 'PACDRT'[place] : '.')).join('')
  expect(shown).toBe(offered)
})

test('the table has every tool that is mapped, and every tool that a rule may name is mapped', () => {
  expect(rows.map(([tool]) => tool).sort()).toEqual(Object.keys(toolNeeds).sort())
  expect(knownTools.filter((tool) => !Object.hasOwn(toolNeeds, tool))).toEqual([])
})

test.each(roles)('what %s is offered, and what it is refused, is what it may use', (role) => {
  const { tools, disallowed } = offeredTools(limits(of(role)))
  const may = rows.map(([tool]) => tool).filter((tool) => mayUse(limits(of(role)), tool))
  if (role === 'actor') expect([tools, disallowed]).toEqual([undefined, undefined])
  else {
    expect([...(tools ?? [])].sort()).toEqual([...may].sort())
    const said = [...(tools ?? []), ...(disallowed ?? [])]
    expect([...new Set([...said, ...former])].sort()).toEqual([...Object.keys(toolNeeds), 'mcp__*'].sort())
    expect(disallowed?.filter((tool) => former.includes(tool))).toEqual([])
  }
})

test.each([
  ['planner', false],
  ['actor', false],
  ['commander', false],
  ['designer', false],
  ['reviewer', false],
  ['tester', true],
])('%s needs walls: %j', (role, expected) => {
  expect(needsWalls(of(role))).toBe(expected)
})

test.each(['mcp__server__tool', 'Tomorrow', 'toString', '__proto__', 'constructor'])(
  '%s needs everything',
  (tool) => {
    for (const ability of abilities)
      expect(mayUse(limits({ ...everything, [ability]: false }), tool)).toBe(false)
    expect(mayUse(limits(everything), tool)).toBe(true)
  },
)

const declared = {
  mcp__docs: ['can_read_files'],
  mcp__docs__publish: ['can_write_files', 'can_execute_commands'],
  'mcp__team__*': ['can_delegate_to_roles'],
  mcp__time__now: [],
} as const

test.each([
  ['mcp__docs__search', []],
  ['mcp__docs__publish', ['write', 'execute']],
  ['mcp__docsy__search', permissions.filter((one) => one !== 'read')],
  ['mcp__team__ask', ['delegate']],
  ['mcp__time__now', []],
  ['mcp__time__set', permissions.filter((one) => one !== 'read')],
])('%s lacks %j for who may only read', (tool, lacked) => {
  const role = limits({ ...nothing, can_read_files: true }, declared)
  expect(lackedFor(role, tool)).toEqual(lacked)
})

test('a declared tool that the role may not use is disallowed by its name', () => {
  const role = limits({ ...nothing, can_read_files: true }, { ...declared, Bash: [] })
  const { disallowed = [], tools } = offeredTools(role)
  expect(disallowed.filter((tool) => tool.startsWith('mcp__'))).toEqual(['mcp__docs__publish', 'mcp__team'])
  expect(offeredTools(limits(nothing, declared)).disallowed).not.toContain('mcp__*')
  expect(offeredTools(limits(nothing, { mcp__docs: ['can_read_files'] })).disallowed).toContain('mcp__*')
  // What the CLI's own tools need cannot be declared away.
  expect([disallowed.includes('Bash'), tools?.includes('Bash')]).toEqual([true, false])
})

const anyRole = fc.record<Capabilities>({
  can_read_files: fc.boolean(),
  can_write_files: fc.boolean(),
  can_create_files: fc.boolean(),
  can_delete_files: fc.boolean(),
  can_execute_commands: fc.boolean(),
  can_delegate_to_roles: fc.constantFrom([], ['actor']),
})

test('fewer capabilities never offer more, and no shell without the right to run one', () => {
  fc.assert(
    fc.property(anyRole, fc.constantFrom(...abilities), (role, ability) => {
      const less = offeredTools(limits({ ...role, [ability]: false })).tools ?? []
      const more = offeredTools(limits(role)).tools ?? Object.keys(toolNeeds)
      expect(less.filter((tool) => !more.includes(tool))).toEqual([])
      if (!role.can_execute_commands) expect(offeredTools(limits(role)).tools).not.toContain('Bash')
    }),
  )
  expect(offeredTools(limits(nothing)).tools).not.toContain('Read')
})

test('each permission has its word in a role file', () => {
  expect(permissions.map(wordFor)).toEqual([
    'can_read_files',
    'can_write_files',
    'can_create_files',
    'can_delete_files',
    'can_execute_commands',
    'can_delegate_to_roles',
  ])
})

test('questions of the model are known', () => {
  expect(['AskUserQuestion', 'ExitPlanMode', 'Bash'].map(asksPerson)).toEqual([true, true, false])
})
