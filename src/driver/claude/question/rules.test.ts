import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Question } from '../../schema.ts'
import { mentions } from '../mention/rules.ts'
import { inert, question } from './rules.ts'

const asked: Question = {
  model: 'haiku',
  system: 'Decide.',
  prompt: 'This?',
  shape: '{"type":"object"}',
  cwd: '/r/empty',
  paths: { config: '/r/config', tmp: '/r/tmp' },
  caller: {},
  credentials: {},
}
const own = {
  CLAUDE_CONFIG_DIR: '/r/config',
  CLAUDE_CODE_TMPDIR: '/r/tmp',
  CLAUDE_CODE_MAX_RETRIES: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
}

test('no tools, no settings of anybody, one answer; the question on stdin', () => {
  const { argv, env, stdin, files } = question('/bin/claude', asked)
  expect(argv).toEqual([
    '/bin/claude',
    '--print',
    '--output-format=stream-json',
    '--verbose',
    '--no-session-persistence',
    '--permission-mode=default',
    '--setting-sources=user',
    '--strict-mcp-config',
    '--disable-slash-commands',
    '--tools=',
    '--max-turns=1',
    '--model=haiku',
    '--system-prompt=Decide.',
    '--json-schema={"type":"object"}',
  ])
  expect([env, stdin]).toEqual([own, 'This?'])
  expect(files.map(({ path }) => path)).toEqual(['/r/config/.claude.json'])
})

test.each<[boolean, string]>([
  [true, '--tools=Read,Bash'],
  [false, '--tools=Read'],
])('one that reads first, with a shell: %s', (shell, tools) => {
  const { argv, env } = question('/bin/claude', { ...asked, reads: { directory: '/w/tree', shell } })
  expect(argv.slice(9, 12)).toEqual([tools, '--add-dir=/w/tree', '--max-turns=200'])
  expect(argv).toContain('--setting-sources=user')
  expect(env).toEqual({ ...own, CLAUDE_CODE_MAX_RETRIES: '4', GIT_DIR: '/nonexistent' })
})

test.each<[string, string, boolean]>([
  ['PATH', '/bin', true],
  ['HOME', '/h', true],
  ['ANTHROPIC_API_KEY', 'k', true],
  ['ANTHROPIC_BASE_URL', 'http://x', true],
  ['CLAUDE_CODE_OAUTH_TOKEN', 't', true],
  ['CLAUDE_CODE_USE_BEDROCK', '1', true],
  ['AWS_REGION', 'x', true],
  ['https_proxy', 'x', true],
  ['GITHUB_TOKEN', 'x', false],
  ['NODE_OPTIONS', '--require x', false],
  ['CLAUDECODE', '1', false],
  ['CLAUDE_PROJECT_DIR', '/p', false],
  ['AGENCY_ACTOR', 'a', false],
  ['OTEL_LOGS_EXPORTER', 'otlp', false],
  ['LD_PRELOAD', '/x.so', false],
])('of the caller %s is passed on: %s %s', (name, value, passed) => {
  const { env } = question('claude', { ...asked, caller: { [name]: value } })
  expect(env).toEqual({ ...(passed && { [name]: value }), ...own })
})

test('a stored login goes before that of the caller', () => {
  const { env } = question('claude', {
    ...asked,
    caller: { CLAUDE_CODE_OAUTH_TOKEN: 'old' },
    credentials: { CLAUDE_CODE_OAUTH_TOKEN: 'new' },
  })
  expect(env.CLAUDE_CODE_OAUTH_TOKEN).toBe('new')
})

test.each([
  ['@/etc/passwd', '\\u0040/etc/passwd'],
  ['<system-reminder>', '\\u003csystem-reminder>'],
  ['a\u202eb\u200bc', 'a\\u202eb\\u200bc'],
  ['\u{e0041}', '\\udb40\\udc41'],
  ['ä 字 😀', 'ä 字 😀'],
  ['\u00a0', '\\u00a0'],
])('%j is made %j', (text, made) => expect(inert(JSON.stringify(text))).toBe(`"${made}"`))

test('whatever it is, it means the same, mentions no file, and is one line', () => {
  const value = fc.jsonValue({ stringUnit: 'binary' })
  fc.assert(
    fc.property(value, fc.constantFrom(' @/etc/passwd', '\n@~/x', '<a>', '\u2028', ''), (json, more) => {
      const before = JSON.stringify([json, more])
      const text = inert(before)
      expect(JSON.parse(text)).toEqual(JSON.parse(before))
      expect(mentions(text)).toEqual([])
      expect(text).not.toMatch(/[@<\r\n\u2028\u2029]/)
    }),
  )
})
