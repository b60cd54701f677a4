import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { port } from './schema.ts'
import type { Kind } from './validate/schema.ts'
import { configKind, validateAll, validateFile } from './validate.ts'
import { problemLine } from './yaml/rules.ts'

const role: Kind = {
  name: 'role',
  places: ['roles/*.yaml'],
  schema: z.strictObject({
    name: z.string(),
    root_dir: z.string().optional(),
    deny: z.array(z.string()).optional(),
  }),
  check: (value: { name: string; root_dir?: string; deny?: string[] }) => [
    ...(value.root_dir === '/nope' ? [{ keys: ['root_dir'], message: 'root_dir /nope does not exist' }] : []),
    ...(value.deny ?? []).flatMap((rule, index) =>
      rule.startsWith('Bsh')
        ? [{ keys: ['deny', index], message: 'unknown tool Bsh', meant: 'Bash', warning: true }]
        : [],
    ),
  ],
}
const agent: Kind = { name: 'agent', places: ['agents/*/config.yaml'], schema: z.strictObject({ port }) }
const director: Kind = {
  name: 'director',
  places: ['directors/*/config.yaml'],
  types: ['scheduler'],
  schema: z.strictObject({ type: z.literal('scheduler'), name: z.string() }),
}
const kinds = [configKind, role, agent, director]

const rootWith = async (files: Record<string, string>): Promise<string> => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'agency-validate-')))
  onTestFinished(() => rm(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true })
    await writeFile(join(root, name), text)
  }
  return root
}

test('every file of a known kind is checked, each where it is', async () => {
  const root = await rootWith({
    'config.yaml': 'host:\n  port: 80\n',
    'roles/good.yaml': 'name: good\n',
    'roles/bad.yaml': 'nmae: bad\n',
    'roles/where.yaml': 'name: x\nroot_dir: /nope\n',
    'roles/warned.yaml': "name: x\ndeny:\n  - 'Bsh(rm *)'\n",
    'roles/passed.yml': 'name: x\n',
    'roles/.hidden.yaml': '][',
    'roles/notes.txt': '][',
    'agents/a/config.yaml': 'port: nine\n',
    'directors/d/config.yaml': '',
  })
  execFileSync('mkfifo', [join(root, 'roles/pipe.yaml')])
  const results = await validateAll(root, kinds)
  const lines = (of: 'problems' | 'warnings') =>
    results.flatMap((result) => result[of]).map((each) => problemLine(each, root))
  expect(lines('problems')).toEqual([
    'config.yaml:2:9 host.port must be 0 (any free port) or from 1024 to 65535: lower ports need root',
    'roles/bad.yaml:1:1 unknown field nmae (did you mean name?)',
    'roles/pipe.yaml:1:1 the file is not a regular file',
    'roles/where.yaml:2:11 root_dir /nope does not exist',
    'agents/a/config.yaml:1:7 port must be a number, not a string',
    'directors/d/config.yaml:1:1 the file is empty: type is missing',
    'directors/d/config.yaml:1:1 the file is empty: name is missing',
  ])
  expect(lines('warnings')).toEqual([
    'roles/warned.yaml:3:5 unknown tool Bsh (did you mean Bash?)',
    'roles/passed.yml:1:1 this file is not read: its name must end in .yaml',
  ])
  expect(results.find(({ file }) => file.endsWith('good.yaml'))).toMatchObject({
    kind: 'role',
    value: { name: 'good' },
  })
})

test('an empty root has nothing wrong', async () => {
  expect(await validateAll(await rootWith({}), kinds)).toEqual([])
})

test.each([
  ['somewhere/roles/x.yaml', 'name: x\n', 'role'],
  ['x.yaml', '# yaml-language-server: $schema=./role.json\nname: x\n', 'role'],
  ['config.yaml', 'type: scheduler\nname: s\n', 'director'],
  ['agent.yaml', 'port: 80\n', 'agent'],
])('a lone file %s is known', async (name, text, expected) => {
  const directory = await rootWith({ [name]: text })
  expect((await validateFile(join(directory, name), kinds)).kind).toBe(expected)
})

test('the place in the root decides before what the file says of itself', async () => {
  const root = await rootWith({ 'roles/x.yaml': 'type: scheduler\nname: s\n' })
  const { kind, problems } = await validateFile(join(root, 'roles/x.yaml'), kinds, root)
  expect([kind, problems.map(({ message }) => message)]).toEqual(['role', ['unknown field type']])
})

test('a way to the root that goes through a link changes nothing', async () => {
  const root = await rootWith({ 'roles/x.yaml': 'type: scheduler\nname: s\n' })
  await symlink(root, `${root}-link`)
  onTestFinished(() => rm(`${root}-link`))
  expect((await validateFile(`${root}-link/roles/x.yaml`, kinds, root)).kind).toBe('role')
})

test('a file of no known kind fails with what to do', async () => {
  const directory = await rootWith({ 'x.yaml': 'a: 1\n' })
  await expect(validateFile(join(directory, 'x.yaml'), kinds)).rejects.toMatchObject({
    code: 'kind_unknown',
    exit: 2,
    words: { next: expect.stringContaining('roles/*.yaml') },
  })
})

test('a file that is broken is a problem, whatever its kind', async () => {
  const directory = await rootWith({ 'x.yaml': 'a: [\n' })
  await chmod(join(directory, 'x.yaml'), 0o666)
  const { problems, warnings } = await validateFile(join(directory, 'x.yaml'), kinds)
  expect([problems.length > 0, warnings.length]).toEqual([true, 1])
  expect((await validateFile(join(directory, 'none.yaml'), kinds)).problems).toMatchObject([
    { message: 'the file does not exist' },
  ])
})
