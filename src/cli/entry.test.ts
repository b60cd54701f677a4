import { EventEmitter } from 'node:events'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { failure } from '../base/error/fail.ts'
import { version } from '../base/version.ts'
import { commands } from './commands.ts'
import { explain, main } from './entry.ts'
import type { Io } from './io.ts'

const typed = async (argv: readonly string[], more: Partial<Io> = {}) => {
  let [out, err] = ['', '']
  const code = await main(argv, {
    stdin: Readable.from([]),
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
    env: {},
    cwd: '/',
    program: 'agency',
    self: ['false'],
    signals: new EventEmitter(),
    ...more,
  })
  return { code, out, err }
}

test('--version and version', async () => {
  expect(await typed(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' })
  expect(await typed(['version'], { program: 'h2' })).toEqual({ code: 0, out: `${version}\n`, err: '' })
  expect(JSON.parse((await typed(['version', '--json'])).out)).toEqual({ version, node: process.version })
})

test('no words, --help and -h show every command', async () => {
  const { code, out, err } = await typed([])
  expect([code, err]).toEqual([0, ''])
  for (const { words } of commands) expect(out).toContain(`\n  ${words.join(' ')} `)
  expect(await typed(['--help'])).toEqual({ code, out, err })
  expect(await typed(['-h'])).toEqual({ code, out, err })
})

test.each(commands.map(({ words, summary, options }) => ({ words, summary, options })))(
  '$words --help explains it',
  async ({ words, summary, options }) => {
    const { code, out } = await typed([...words, '--help'])
    expect(code).toBe(0)
    expect(out).toContain(summary)
    for (const { name } of options) expect(out).toContain(`--${name}`)
  },
)

test.each(commands)('$words has a handler', async ({ load }) => {
  expect(typeof (await load()).run).toBe('function')
})

test('a wrong line says what happened, what is safe and what to type, on stderr', async () => {
  expect(await typed(['run', '--rol', 'x'])).toEqual({
    code: 2,
    out: '',
    err:
      'error: `agency run` has no option "--rol".\n' +
      '  Nothing was started or changed.\n' +
      '  Did you mean --role? Type `agency run --help`.\n',
  })
})

test('with --json a failure is one object on stdout', async () => {
  const { code, out, err } = await typed(['lst', '--json'])
  expect([code, err]).toEqual([2, ''])
  expect(JSON.parse(out)).toEqual({
    error: 'unknown_command',
    message: 'agency has no command "lst".',
    safe: 'Nothing was started or changed.',
    next: 'Did you mean "list"? Type `agency --help` for the list.',
    problems: [],
  })
})

test('control characters of argv do not reach the terminal', async () => {
  expect((await typed(['\u001b]0;owned\u0007x'])).err).not.toMatch(/\u001b|\u0007/)
})

test('colour only on a terminal, and never with NO_COLOR', async () => {
  let err = ''
  const stderr = { write: (text: string) => (err += text), isTTY: true }
  await typed(['lst'], { stderr })
  expect(err).toMatch(/^\u001b\[31merror:/)
  err = ''
  await typed(['lst'], { stderr, env: { NO_COLOR: '1' } })
  expect(err).toMatch(/^error:/)
})

test('an agent may not do what only a person may', async () => {
  const { code, err } = await typed(['trust', '.'], { env: { AGENCY_ACTOR: 'coder-1' } })
  expect([code, err]).toEqual([1, expect.stringContaining('Only a person may type `agency trust`')])
  expect((await typed(['trust', '.'], { env: { H2_ACTOR: 'coder-1' } })).code).toBe(1)
})

test('an error that nobody foresaw has a code and no stack', () => {
  const known = failure('validation_error', { what: 'x' })
  expect(explain(known)).toBe(known)
  expect([explain(new TypeError('oops')).code, explain('text').message]).toEqual([
    'internal',
    'agency made a mistake: text',
  ])
  const system = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES', syscall: 'open' })
  expect(explain(system).code).toBe('refused_by_system')
})
