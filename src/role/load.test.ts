import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { AgencyError } from '../base/error/fail.ts'
import { problemLine } from '../config/yaml/rules.ts'
import { planner } from './builtin/planner/schema.ts'
import { listRoles } from './list.ts'
import { loadRole, type RoleOptions } from './load.ts'

const rootWith = (files: Readonly<Record<string, string>>): string => {
  const root = mkdtempSync(join(tmpdir(), 'agency-role-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

const refusal = async (root: string, name: string, options?: RoleOptions) => {
  try {
    await loadRole(root, name, options)
  } catch (error) {
    if (error instanceof AgencyError) {
      const { code, exit, words, problems } = error
      return { code, exit, message: words.message, next: words.next, problems }
    }
    throw error
  }
  throw new Error('it loaded')
}

test('a role is read, and complete', async () => {
  const root = rootWith({ 'roles/coder.yaml': 'name: coder\ninstructions: Write code.\nmodel: sonnet\n' })
  const { role, file, lineage, warnings, overrides } = await loadRole(root, 'coder')
  expect(role).toMatchObject({ name: 'coder', model: 'sonnet', permission_mode: 'default', root_dir: '.' })
  expect({ file, lineage, warnings, overrides }).toEqual({
    file: join(root, 'roles/coder.yaml'),
    lineage: [{ name: 'coder', layer: 'root', file: join(root, 'roles/coder.yaml') }],
    warnings: [],
    overrides: {},
  })
})

test('roles of pods come before those of the root, and those before the built-in ones', async () => {
  const root = rootWith({
    'pods/roles/planner.yaml': 'name: planner\ninstructions: of the pod\n',
    'roles/planner.yaml': 'name: planner\ninstructions: of the root\n',
  })
  expect((await loadRole(root, 'planner', { pod: true })).role.instructions).toBe('of the pod')
  expect((await loadRole(root, 'planner')).role.instructions).toBe('of the root')
  const bare = rootWith({})
  expect(await loadRole(bare, 'planner')).toMatchObject({ file: 'built-in', role: { style: planner.style } })
})

test('a role inherits through the layers below it; its own name is the role it replaces', async () => {
  const root = rootWith({
    'pods/roles/planner.yaml': 'name: planner\ninherits: planner\npermissions: {deny: [WebFetch]}\n',
    'roles/planner.yaml': 'name: planner\ninherits: planner\nmodel: opus\npermissions: {deny: [WebSearch]}\n',
  })
  const { role, lineage } = await loadRole(root, 'planner', { pod: true })
  expect(lineage.map((each) => each.layer)).toEqual(['pod', 'root', 'builtin'])
  expect(role).toMatchObject({
    model: 'opus',
    instructions: planner.instructions,
    capabilities: { can_read_files: true, can_write_files: false },
    permissions: { deny: ['WebSearch', 'WebFetch'] },
  })
})

test('a line that is wider than what is inherited is said, at its place', async () => {
  const root = rootWith({
    'roles/scribe.yaml': 'name: scribe\ninherits: planner\ncapabilities:\n  can_create_files: true\n',
  })
  const { role, warnings } = await loadRole(root, 'scribe')
  expect(role.capabilities).toMatchObject({ can_create_files: true, can_write_files: false })
  expect(warnings.map((each) => problemLine(each, root))).toEqual([
    'roles/scribe.yaml:4:21 capabilities.can_create_files is wider than in planner, which it inherits',
  ])
})

test.each<[string, Record<string, string>, string]>([
  ['a', { a: 'b', b: 'a' }, 'roles/a.yaml:2:11 inherits must not go in a circle: a → b → a'],
  ['a', { a: 'b', b: 'c' }, 'roles/a.yaml:2:11 inherits must name a role: there is no "c" (a → b → c)'],
  ['a', { a: 'a' }, 'roles/a.yaml:2:11 inherits must not go in a circle: a → a'],
  [
    'a',
    Object.fromEntries([...'abcdefghijkl'].map((name, place) => [name, 'abcdefghijklm'[place + 1] ?? ''])),
    'roles/a.yaml:2:11 inherits must not go deeper than 10 roles: a → b → c → d → e → f → g → h → i → j → k → l',
  ],
])('a chain without an end is refused: %s of %j', async (name, chain, problem) => {
  const files = Object.entries(chain).map(([each, inherits]) => [
    `roles/${each}.yaml`,
    `name: ${each}\ninherits: ${inherits}\n`,
  ])
  expect(await refusal(rootWith(Object.fromEntries(files)), name)).toMatchObject({
    code: 'role_invalid',
    exit: 2,
    problems: [problem],
  })
})

test('a broken ancestor is named with what is wrong in it', async () => {
  const root = rootWith({
    'roles/a.yaml': 'name: a\ninherits: b\n',
    'roles/b.yaml': 'name: b\ninstructions: i\npermissions: {deny: "Bash"}\n',
  })
  const { problems } = await refusal(root, 'a')
  expect(problems).toEqual([
    `roles/a.yaml:2:11 inherits must name a valid role: see ${root}/roles/b.yaml (a → b)`,
    'roles/b.yaml:3:21 permissions.deny must be a list, not a string',
  ])
})

test('a role that is not there is named, with what was meant and where to look', async () => {
  const root = rootWith({ 'roles/coder.yaml': 'name: coder\ninstructions: i\n' })
  expect(await refusal(root, 'nope')).toEqual({
    code: 'role_not_found',
    exit: 2,
    message: 'There is no role "nope".',
    next: 'Type `agency role list` to see the roles, or `agency role init nope` to make it.',
    problems: [],
  })
  expect((await refusal(root, 'codr')).message).toBe('There is no role "codr" (did you mean "coder"?).')
})

test.each(['', '../x', 'a/b', '__proto__', 'X', 'all'])('%j is no name for a role', async (name) => {
  expect(await refusal(rootWith({}), name)).toMatchObject({ code: 'validation_error', exit: 2 })
})

test('overrides hold for this launch, are recorded, and are refused with reason', async () => {
  const root = rootWith({ 'roles/r.yaml': 'name: r\ninstructions: i\nbudget: {turns: 5}\n' })
  const given = ['worktree.enabled=true', 'budget.turns=3']
  const { role, overrides } = await loadRole(root, 'r', { overrides: given })
  expect(role).toMatchObject({ worktree: { enabled: true, branch_from: 'main' }, budget: { turns: 3 } })
  expect(overrides).toEqual({ 'worktree.enabled': 'true', 'budget.turns': '3' })
  expect(await refusal(root, 'r', { overrides: ['worktre.enabled=true'] })).toMatchObject({
    code: 'override_invalid',
    exit: 2,
    message: 'The override was refused: unknown key worktre.enabled (did you mean worktree.enabled?)',
  })
  expect(await refusal(root, 'r', { overrides: ['agent_type=command'] })).toMatchObject({
    code: 'override_invalid',
    message: 'The override was refused: command is missing: `agent_type: command` needs the program to run',
  })
})

test('the list has each name once, from where a launch would take it, and shows what is broken', async () => {
  const root = rootWith({
    'roles/coder.yaml': 'name: coder\ndescription: Codes\ninstructions: i\n',
    'roles/broken.yaml': 'name: [\n',
    'roles/Bad Name.yaml': 'name: x\ninstructions: i\n',
    'roles/notes.txt': 'x',
    'pods/roles/coder.yaml': 'name: coder\ndescription: Codes in a pod\ninstructions: i\n',
  })
  const short = (roles: Awaited<ReturnType<typeof listRoles>>) =>
    roles.map((each) => `${each.name} ${each.layer} ${each.valid} ${each.description.slice(0, 14)}`.trim())
  expect(short(await listRoles(root))).toEqual([
    'actor builtin true Carries out wo',
    'broken root false',
    'coder root true Codes',
    'commander builtin true Breaks down go',
    'designer builtin true Makes new file',
    'planner builtin true Explores and p',
    'reviewer builtin true Reads work and',
    'tester builtin true Runs tests and',
  ])
  expect(short(await listRoles(root, { pod: true }))).toContain('coder pod true Codes in a pod')
})
