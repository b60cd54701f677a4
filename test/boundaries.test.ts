// The tree keeps its shape, and each check goes red on a planted violation.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { catalogue } from '../src/base/error/schema.ts'
import {
  catalogueProblems,
  exitProblems,
  floorProblems,
  ladderProblems,
  nameProblems,
  purityProblems,
  ringProblems,
  sizeProblems,
  skipProblems,
} from './boundary/checks.ts'
import { readTree, type Tree } from './boundary/tree.ts'

const source = readTree('src')
const everything = readTree('src', 'test', 'tools', 'bench', 'soak', 'generate', 'scripts')
const reference = readFileSync('docs/reference/errors.md', 'utf8')

const checks: Record<string, (tree: Tree) => string[]> = {
  floors: floorProblems,
  ladder: ladderProblems,
  rings: ringProblems,
  purity: purityProblems,
  exits: exitProblems,
  names: nameProblems,
}

for (const [name, check] of Object.entries(checks)) {
  test(`${name} hold`, () => expect(check(source)).toEqual([]))
}
test('sizes hold', () => expect(sizeProblems(everything)).toEqual([]))
test('no test is skipped or focused', () => expect(skipProblems(everything)).toEqual([]))
test('every error is raised and documented', () =>
  expect(catalogueProblems(Object.keys(catalogue), source, reference)).toEqual([]))

const plant = (files: Record<string, string>): Tree => new Map([...source, ...Object.entries(files)])

const planted: [keyof typeof checks, Record<string, string>, string][] = [
  [
    'floors',
    { 'src/role/rules.ts': "import type { x } from './load.ts'\n" },
    'src/role/rules.ts (rules) imports src/role/load.ts (acting)',
  ],
  [
    'floors',
    { 'src/role/schema.ts': "import { x } from './rules.ts'\n" },
    'src/role/schema.ts (schema) imports src/role/rules.ts (rules)',
  ],
  [
    'ladder',
    { 'src/store/bad.ts': "import type { Host } from '../host/host.ts'\n" },
    'src/store/bad.ts imports src/host/host.ts, which is higher on the ladder',
  ],
  [
    'ladder',
    { 'src/store/bad.ts': "const x = await import('../host/host.ts')\n" },
    'src/store/bad.ts imports src/host/host.ts, which is higher on the ladder',
  ],
  [
    'ladder',
    { 'src/store/bad.ts': "export { x } from '../../test/kit/x.ts'\n" },
    'src/store/bad.ts imports test/kit/x.ts, which is not part of the program',
  ],
  ['ladder', { 'src/misc/x.ts': '' }, 'src/misc/x.ts is in a folder that the ladder does not list'],
  [
    'rings',
    {
      'src/role/x/schema.ts': "import '../y/schema.ts'\n",
      'src/role/y/schema.ts': "import '../x/schema.ts'\n",
    },
    'a ring of imports: src/role/x/schema.ts → src/role/y/schema.ts → src/role/x/schema.ts',
  ],
  [
    'purity',
    { 'src/role/rules.ts': 'const at = Date.now()\n' },
    'src/role/rules.ts uses Date.now: pure files take it as an argument',
  ],
  [
    'purity',
    { 'src/role/schema.ts': "import { join } from 'node:path'\n" },
    'src/role/schema.ts uses node:path: pure files take it as an argument',
  ],
  [
    'exits',
    { 'src/role/load.ts': 'process.exit(1)\n' },
    'src/role/load.ts calls process.exit; only a main file may',
  ],
  ['names', { 'src/role/helpers.ts': '' }, 'src/role/helpers.ts: the name says nothing of what it is'],
  ['names', { 'src/role/loadRole.ts': '' }, 'src/role/loadRole.ts: names are kebab-case'],
]

for (const [name, files, sentence] of planted) {
  test(`${name} go red: ${sentence}`, () => expect(checks[name]?.(plant(files))).toContain(sentence))
}

test('sizes go red', () => {
  const long = new Map([
    ['src/x.ts', 'x\n'.repeat(401)],
    ['src/x.test.ts', 'x\n'.repeat(800)],
  ])
  expect(sizeProblems(long)).toEqual(['src/x.ts has 401 lines; the limit is 400'])
})

test('the catalogue goes red', () => {
  expect(catalogueProblems(['no_such_code'], source, reference)).toEqual([
    'no_such_code is in the catalogue, but nothing raises it',
    'no_such_code is not in docs/reference/errors.md',
  ])
})

test('a skipped test goes red', () => {
  expect(skipProblems(new Map([['src/x.test.ts', "test.skip('x')"]]))).toEqual([
    'src/x.test.ts has a test.skip',
  ])
})
