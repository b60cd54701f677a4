// Purity is checked by machines: the compiler without Node's types, and the linter. Both must see a planted fault.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const compile = (text: string): string => {
  // Inside the project, so that the pure configuration and zod are found; the name is ignored by git.
  const folder = mkdtempSync('build/pure-')
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  writeFileSync(join(folder, 'rules.ts'), text)
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: '../../tsconfig.pure.json', include: ['rules.ts'] }),
  )
  return spawnSync('node_modules/.bin/tsc', ['-p', folder], { encoding: 'utf8' }).stdout
}

/** The linter of the project, on a tree of one file. */
const lint = (path: string, text: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'agency-lint-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  const { $schema: _, vcs: __, ...rules } = JSON.parse(readFileSync('biome.json', 'utf8'))
  writeFileSync(join(folder, 'biome.json'), JSON.stringify(rules))
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
  return spawnSync(resolve('node_modules/.bin/biome'), ['lint', '.'], { encoding: 'utf8', cwd: folder })
    .stderr
}

test('a pure file that is pure compiles and lints', () => {
  expect(compile('export const twice = (n: number): number => n * 2\n')).toBe('')
  expect(lint('src/role/rules.ts', 'export const twice = (n: number): number => n * 2\n')).not.toContain(
    'noRestrictedGlobals',
  )
})

test.each(['process.pid', 'Buffer.alloc(1)', "require('fs')", 'setTimeout(() => 0, 1)', "new URL('x:y')"])(
  'the compiler refuses %s in a pure file',
  (expression) => expect(compile(`export const x = ${expression}\n`)).toMatch(/error TS/),
)

test.each([
  'Date.now()',
  'new Date()',
  'process.pid',
  'crypto.randomUUID()',
  "fetch('x')",
  'performance.now()',
])('the linter refuses %s in a pure file, and only there', (expression) => {
  const text = `export const x = ${expression}\n`
  expect(lint('src/role/rules.ts', text)).toContain('noRestrictedGlobals')
  expect(lint('src/role/schema.ts', text)).toContain('noRestrictedGlobals')
  expect(lint('src/role/load.ts', text)).not.toContain('noRestrictedGlobals')
})
