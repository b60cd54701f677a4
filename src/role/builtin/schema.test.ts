import { expect, test } from 'vitest'
import { sandboxOf } from '../../session/plan/rules.ts'
import type { Capabilities } from '../capability/schema.ts'
import { checkRole } from '../check/rules.ts'
import { tryExamples } from '../example/rules.ts'
import { examplePlan, plan } from '../plan/schema.ts'
import { exampleQuestion, question } from '../question/schema.ts'
import { completeRole } from '../rules.ts'
import { roleFile } from '../schema.ts'
import { builtinRoles, defaultRole } from './schema.ts'

const sets: Record<string, Capabilities> = {
  planner: capabilities('r----'),
  actor: capabilities('rwdxc'),
  commander: capabilities('r----', ['planner', 'actor']),
  designer: capabilities('r---c'),
  reviewer: capabilities('r----'),
  tester: capabilities('r--x-'),
}

function capabilities(text: string, delegates: string[] = []): Capabilities {
  return {
    can_read_files: text[0] === 'r',
    can_write_files: text[1] === 'w',
    can_delete_files: text[2] === 'd',
    can_execute_commands: text[3] === 'x',
    can_create_files: text[4] === 'c',
    can_delegate_to_roles: delegates,
  }
}

test('the six roles have exactly the permissions of their specification', () => {
  expect(
    Object.fromEntries(builtinRoles.map((each) => [each.name, completeRole(each).capabilities])),
  ).toEqual(sets)
  expect(builtinRoles.map((each) => each.name)).toContain(defaultRole)
})

test.each(builtinRoles)('$name is a valid role file without a doubt', (role) => {
  expect(roleFile.parse(role)).toEqual(role)
  expect(checkRole(role, role.name)).toEqual([])
  expect(role.instructions).toMatch(new RegExp(`^You are operating in ${role.name.toUpperCase()} role\\.`))
  expect(Object.keys(role.style ?? {})).toEqual(['color', 'icon'])
})

test.each(builtinRoles)('the examples of $name hold, and there are enough of them', (file) => {
  const role = completeRole(file)
  const place = { cwd: '/work/tree', tree: '/work/tree', home: '/home/me', root: '/home/me/.agency' }
  const tried = tryExamples(role, { place, sandboxed: sandboxOf(role)?.tree === 'read-only' })
  expect(tried.filter(({ passed }) => !passed)).toEqual([])
  expect(tried.length).toBeGreaterThanOrEqual(15)
  for (const outcome of ['allow', 'ask', 'deny'] as const) expect(file.tests?.[outcome]).not.toHaveLength(0)
})

const block = (name: string): unknown => {
  const text = builtinRoles.find((each) => each.name === name)?.instructions ?? ''
  return JSON.parse(/```json\n([\s\S]*?)\n```/.exec(text)?.[1] ?? 'null')
}

test('the forms in the prompts are the forms that are read', () => {
  expect(plan.parse(block('planner'))).toEqual(examplePlan)
  expect(question.parse(block('actor'))).toEqual(exampleQuestion)
  expect(block('reviewer')).toMatchObject({ type: 'review' })
})

test.each([
  ['planner', ['Explore', 'read-only', 'thorough', 'Discuss', 'ACTOR']],
  ['actor', ['approved plan', 'full set', 'When to proceed and when to ask', 'approval']],
])('the prompt of %s says what it must', (name, words) => {
  const text = builtinRoles.find((each) => each.name === name)?.instructions ?? ''
  for (const word of words) expect(text).toContain(word)
})
