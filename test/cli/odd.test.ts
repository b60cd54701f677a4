// Odd places and odd words, as a hostile or unlucky user brings them: an answer in words, and nothing made.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { inside } from './inside.ts'
import { program, type World, world } from './kit.ts'

const stack = /\n\s+at .*:\d+:\d+/

test.each([
  ['a line break', 'FOLDER/odd\nroot', 2, 'line break'],
  ['a file', '/etc/passwd', 2, 'not a directory'],
  ['below a file', '/etc/passwd/x', 2, 'a part of its path is a file'],
  ['where nothing can be made', '/proc/agency-odd', 2, 'nothing can be made there'],
  ['a name too long', `FOLDER/${'x'.repeat(300)}`, 2, 'path is too long'],
  ['the top', '/', 2, 'is not a root'],
])('a root cannot be %s', async (_, root, exit, words) => {
  const at = world()
  const before = at.tree()
  const { code, out, err } = await at.agency(['init'], {
    env: { AGENCY_ROOT: root.replace('FOLDER', at.folder) },
  })
  expect([code, out], err).toEqual([exit, ''])
  expect(err).toContain(words)
  expect(err).not.toMatch(stack)
  expect(at.tree()).toEqual(before)
})

/** Runs a command line in a directory that has been removed. */
const gone = (at: World, line: string, env: NodeJS.ProcessEnv = {}) => {
  const directory = join(at.folder, 'gone')
  mkdirSync(directory)
  const script = `cd "$0" && rmdir "$0" && ${program} ${line}`
  return spawnSync('bash', ['-c', script, directory], { env: { ...at.env, ...env }, encoding: 'utf8' })
}

test.each([
  ['init ./x', {}],
  ['trust', {}],
  ['trust x', {}],
  ['validate roles/x.yaml', {}],
  ['run --role actor --dry-run', {}],
  ['status', { AGENCY_ROOT: 'relative' }],
])('in a directory that is gone: %s is refused', async (line, env) => {
  const at = world()
  await at.agency(['init'])
  const { status, stdout, stderr } = gone(at, line, env)
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toContain('no longer exists')
  expect(stderr).not.toMatch(stack)
})

test('in a directory that is gone, what needs none works', async () => {
  const at = world()
  await at.agency(['init'])
  expect(gone(at, 'status').status).toBe(0)
  expect(gone(at, `validate ${at.root}/config.yaml`).status).toBe(0)
})

test.each(['fifo', 'directory', 'half'])('a host.json that is a %s holds up nobody', async (kind) => {
  const at = world()
  await at.agency(['init'])
  const file = join(at.root, 'host.json')
  onTestFinished(() => rmSync(file, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  if (kind === 'fifo') execFileSync('mkfifo', [file])
  else if (kind === 'directory') mkdirSync(file)
  else writeFileSync(file, '{"pid": 1, "star')
  for (const argv of [['status'], ['list'], ['kill', '--all'], ['doctor']])
    expect((await at.agency(argv)).code).toBe(0)
})

test('a log that is a FIFO does not keep the host from starting', async () => {
  const at = world()
  await at.agency(['init'])
  execFileSync('mkfifo', [join(at.root, 'agency.log')])
  expect((await at.agency(['start'])).code).toBe(0)
  expect((await at.agency(['shutdown', '--all'])).code).toBe(0)
})

test('doctor finds files that are not valid, and a token that others read', async () => {
  const at = world()
  await at.agency(['init'])
  writeFileSync(join(at.root, 'roles/x.yaml'), 'name: x\n')
  rmSync(join(at.root, 'token'))
  writeFileSync(join(at.root, 'token'), 'x', { mode: 0o644 })
  const { code, out } = await at.agency(['doctor'])
  expect(code).toBe(1)
  expect(out).toMatch(/FAIL +files +roles\/x\.yaml:1:1 needs `instructions`/)
  expect(out).toMatch(/FAIL +token +The token \S+ can be read or written by others/)
})

test.each([
  ['run', '--role', 'x'.repeat(100_000)],
  ['x'.repeat(100_000)],
  ['run', '--role', 'actor', '--override', `${'x'.repeat(100_000)}=1`],
  ['stop', 'x'.repeat(100_000)],
  ['validate', 'x'.repeat(3_000)],
])('what is typed far too long is not sent back whole: %#', async (...argv) => {
  const at = world()
  await at.agency(['init'])
  const { code, err } = await inside(at, argv)
  expect([1, 2]).toContain(code)
  expect(err.length).toBeLessThan(4_000)
})

test('a refused override is told once', async () => {
  const at = world()
  await at.agency(['init'])
  const { code, err } = await inside(at, ['run', '--role', 'actor', '--override', 'modle=x'])
  expect(code).toBe(2)
  expect(err.split('unknown key modle')).toHaveLength(2)
})

const directories = ['Big', 'a b', 'all', '-x', 'ä', `${'x'.repeat(64)}`]
test.each(directories)('a component cannot live in a directory called %j', async (name) => {
  const at = world()
  await at.agency(['init'])
  for (const [place, text] of [
    ['agents', 'log_level: info\n'],
    ['directors', 'type: github\nrepo: a/b\n'],
  ] as const) {
    mkdirSync(join(at.root, place, name))
    writeFileSync(join(at.root, place, name, 'config.yaml'), text)
  }
  const { code, err } = await inside(at, ['validate', '--all'])
  expect(code).toBe(2)
  for (const place of ['agents', 'directors'])
    expect(err).toContain(`${place}/${name}/config.yaml:1:1 the directory "${name}"`)
})

test.each([
  ['', 0, ''],
  ['-1', 2, 'host.port must be at least 0'],
  ['!!js/function x', 2, 'host.port must be a number, not a string'],
  ['&a [*a]', 2, 'aliases'],
  ['{__proto__: 1}', 2, '__proto__'],
  ['.inf', 2, 'not infinity'],
])('config set host.port %j', async (value, exit, words) => {
  const at = world()
  await at.agency(['init'])
  const { code, err } = await at.agency(['config', 'set', 'host.port', value])
  expect(code, err).toBe(exit)
  expect(err).toContain(words)
  expect(err).not.toMatch(/Warning|warning/)
})
