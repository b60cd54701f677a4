import fc from 'fast-check'
import { expect, test } from 'vitest'
import { knownTools } from '../../permission/rule/schema.ts'
import { builtinRoles } from '../../role/builtin/schema.ts'
import { abilities, type Capabilities, everything, nothing } from '../../role/capability/schema.ts'
import { completeCapabilities } from '../../role/rules.ts'
import { asksPerson, mayUse, needsWalls, offeredTools } from './rules.ts'
import { toolNeeds } from './schema.ts'

const of = (name: string): Capabilities =>
  completeCapabilities(builtinRoles.find((role) => role.name === name)?.capabilities)

const watched = [
  'Read',
  'Edit',
  'Write',
  'NotebookEdit',
  'Bash',
  'Monitor',
  'Agent',
  'Task',
  'Skill',
  'WebFetch',
]

test.each([
  ['planner', ['Read', 'WebFetch']],
  ['actor', watched],
  ['commander', ['Read', 'Agent', 'Task', 'WebFetch']],
  ['designer', ['Read', 'Write', 'WebFetch']],
  ['reviewer', ['Read', 'WebFetch']],
  ['tester', ['Read', 'Bash', 'Monitor', 'Skill', 'WebFetch']],
])('%s is offered %j', (role, tools) => {
  const offered = offeredTools(of(role))
  expect(watched.filter((tool) => offered.tools?.includes(tool) ?? true)).toEqual(tools)
  expect(watched.filter((tool) => offered.disallowed?.includes(tool))).toEqual(
    watched.filter((tool) => !tools.includes(tool)),
  )
})

test.each([
  ['planner', false],
  ['actor', false],
  ['commander', false],
  ['designer', false],
  ['tester', true],
])('%s needs walls: %j', (role, expected) => {
  expect(needsWalls(of(role))).toBe(expected)
})

test('every tool that a rule may name says what it needs', () => {
  expect(knownTools.filter((tool) => !Object.hasOwn(toolNeeds, tool))).toEqual([])
})

test.each(['mcp__server__tool', 'Tomorrow', 'toString', '__proto__'])('%s needs everything', (tool) => {
  expect([mayUse(everything, tool), mayUse({ ...everything, can_delete_files: false }, tool)]).toEqual([
    true,
    false,
  ])
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
      const less = offeredTools({ ...role, [ability]: false }).tools ?? []
      const more = offeredTools(role).tools ?? Object.keys(toolNeeds)
      expect(less.filter((tool) => !more.includes(tool))).toEqual([])
      if (!role.can_execute_commands) expect(offeredTools(role).tools).not.toContain('Bash')
    }),
  )
  expect(offeredTools(nothing).tools).not.toContain('Read')
})

test('questions of the model are known', () => {
  expect(['AskUserQuestion', 'ExitPlanMode', 'Bash'].map(asksPerson)).toEqual([true, true, false])
})
