import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadConfig, requireConfig } from './load.ts'
import { config } from './schema.ts'
import { problemLine } from './yaml/rules.ts'

const rootWith = async (text?: string): Promise<string> => {
  const root = await mkdtemp(join(tmpdir(), 'agency-load-'))
  onTestFinished(() => rm(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  if (text !== undefined) await writeFile(join(root, 'config.yaml'), text)
  return root
}

test.each([
  ['no file', undefined],
  ['an empty file', ''],
  ['only comments', '# later\n'],
])('%s means every default', async (_, text) => {
  const { value, problems, origins } = await loadConfig(await rootWith(text), {})
  expect([value, problems]).toEqual([config.parse({}), []])
  expect(new Set(Object.values(origins))).toEqual(new Set(['default']))
})

test('every value says where it comes from', async () => {
  const root = await rootWith('# head\nhost:\n  log_level: warn\n  port: 9000\n')
  const { value, origins } = await loadConfig(root, { AGENCY_LOG_LEVEL: 'debug', AGENCY_GITHUB_API: '' })
  expect(value?.host).toEqual({ port: 9000, log_level: 'debug', drain_seconds: 30 })
  expect(origins).toEqual({
    store: 'default',
    'host.port': 'config.yaml:4',
    'host.log_level': 'AGENCY_LOG_LEVEL',
    'host.drain_seconds': 'default',
    'history.tasks': 'default',
    'history.megabytes': 'default',
    budgets: 'default',
    'github.api': 'default',
    'gitlab.api': 'default',
    'attach.detach_key': 'default',
  })
})

test('a bad file gives its problems and no config', async () => {
  const root = await rootWith('host:\n  prot: 1\nstore: 7\n')
  const { value, problems } = await loadConfig(root, { AGENCY_LOG_LEVEL: 'loud' })
  expect(value).toBeUndefined()
  expect(problems.map((each) => problemLine(each, root))).toEqual([
    'config.yaml:3:8 store must be a string, not a number',
    'AGENCY_LOG_LEVEL host.log_level must be one of debug, info, warn, error, not "loud"',
    'config.yaml:2:3 unknown field host.prot (did you mean port?)',
  ])
  await expect(requireConfig(root, {})).rejects.toMatchObject({
    code: 'config_invalid',
    problems: [
      'config.yaml:3:8 store must be a string, not a number',
      'config.yaml:2:3 unknown field host.prot (did you mean port?)',
    ],
  })
})

test('a variable does not hide that its place in the file is wrong', async () => {
  const root = await rootWith('host: text\n')
  const { problems } = await loadConfig(root, { AGENCY_LOG_LEVEL: 'debug' })
  expect(problems.map((each) => problemLine(each, root))).toEqual([
    'config.yaml:1:7 host must be an object, not a string',
  ])
})

test('a world-writable config is read with a warning', async () => {
  const root = await rootWith('store: sqlite\n')
  await chmod(join(root, 'config.yaml'), 0o666)
  const { value, warnings } = await loadConfig(root, {})
  expect(value?.store).toBe('sqlite')
  expect(warnings.map(({ message }) => message)).toEqual([expect.stringContaining('world-writable')])
})

test('a gate that does not stop its example is an error with file, line and example', async () => {
  const root = await rootWith(`review:
  mode: always
  gates:
    tools:
      - pattern: "Bash:gh issue close*"
        match: ["Bash(gh issue close 1 | cat)", "Bash(gh pr merge 1)"]
`)
  const { value, problems } = await loadConfig(root, {})
  expect(value).toBeUndefined()
  expect(problems.map((each) => problemLine(each, root))).toEqual([
    'config.yaml:6:49 review.gates.tools[0].match[1] is wrong about Bash:gh issue close*, which does not stop Bash(gh pr merge 1): runs nothing like it',
  ])
})

test('reviews are off unless they are written', async () => {
  expect((await loadConfig(await rootWith(''), {})).value?.review).toBeUndefined()
  const { value, origins } = await loadConfig(await rootWith('review:\n  mode: always\n'), {})
  expect(value?.review).toEqual({ mode: 'always' })
  expect(origins['review.mode']).toBe('config.yaml:2')
})
