import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { name } from '../../base/name/schema.ts'
import { readYaml } from './read.ts'
import { problemLine } from './rules.ts'

const role = z.strictObject({
  name,
  instructions: z.string(),
  permissions: z.strictObject({ deny: z.array(z.string()) }).optional(),
  settings: z.record(z.string(), z.unknown()).optional(),
})

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'agency-yaml-'))
  await mkdir(join(root, 'roles'))
})
afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))

const read = async (text: string | Uint8Array) => {
  const file = join(root, 'roles/x.yaml')
  await writeFile(file, text)
  const { problems, warnings, value } = await readYaml(file, role)
  return { value, problems: problems.map((each) => problemLine(each, root)), warnings }
}

test.each<[string, string | Uint8Array, string[]]>([
  ['not UTF-8', Uint8Array.of(0x6e, 0xff), ['roles/x.yaml:1:1 the file is not valid UTF-8 text']],
  ['too large', `# ${'x'.repeat(300_000)}`, ['roles/x.yaml:1:1 the file is larger than 256 KB']],
  ['empty', '', ['roles/x.yaml:1:1 the file must be an object, but is empty (null)']],
  ['a list', '- a\n- b', ['roles/x.yaml:1:1 the file must be an object, not a list']],
  ['text', 'hello', ['roles/x.yaml:1:1 the file must be an object, not a string']],
  [
    'several at once',
    'name: all\ninstructons: i\npermissions:\n  deny: Bash(rm *)\n',
    [
      'roles/x.yaml:1:7 name: "all" is a reserved name',
      'roles/x.yaml:4:9 permissions.deny must be a list, not a string',
      'roles/x.yaml:2:1 unknown field instructons (did you mean instructions?)',
    ],
  ],
])('%s', async (_, text, expected) => {
  expect(await read(text)).toEqual({ value: undefined, problems: expected, warnings: [] })
})

test('a good file gives its value and its text', async () => {
  const file = join(root, 'roles/good.yaml')
  await writeFile(file, 'name: good\ninstructions: |\n  Do it.\n')
  expect(await readYaml(file, role)).toEqual({
    file,
    value: { name: 'good', instructions: 'Do it.\n' },
    problems: [],
    warnings: [],
    text: 'name: good\ninstructions: |\n  Do it.\n',
  })
})

test('a file that is not there is a problem, no exception', async () => {
  const { problems } = await readYaml(join(root, 'roles/none.yaml'), role)
  expect(problems.map((each) => problemLine(each, root))).toEqual([
    'roles/none.yaml:1:1 the file does not exist',
  ])
})

type Case = {
  id: string
  surface: string
  input: { file: string; text?: string; mode?: string; setup?: string }
  expect: { exit: number | number[]; stderr_has: string[] }
}
const corpus: Case[] = JSON.parse(
  await readFile(new URL('../../../test/corpus/bad-input.json', import.meta.url), 'utf8'),
)
// The others need the real schema of a role or director.
const mine = ['i135', 'i136', 'i138', 'i139', 'i146', 'i167', 'i168']

test.each(corpus.filter(({ id }) => mine.includes(id)))('corpus $id', async ({ input, expect: wanted }) => {
  const directory = await mkdtemp(join(root, 'corpus-'))
  const file = join(directory, input.file)
  await mkdir(join(file, '..'), { recursive: true })
  if (input.setup?.startsWith('mkfifo')) execFileSync('mkfifo', [file])
  else await writeFile(file, input.text ?? '')
  if (input.mode) await chmod(file, Number.parseInt(input.mode, 8))
  const { problems, warnings } = await readYaml(file, role)
  const lines = [...problems, ...warnings].map((each) => problemLine(each, directory)).join('\n')
  for (const word of wanted.stderr_has) expect(lines).toContain(word)
  expect([wanted.exit].flat()).toContain(problems.length > 0 ? 2 : 0)
})
