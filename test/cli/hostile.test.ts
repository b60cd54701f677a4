// Files and overrides as nobody should write them: each is refused at its place, and nothing is made of it.
import { EventEmitter } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { main } from '../../src/cli/entry.ts'

type Kind = 'role' | 'pod' | 'config' | 'agent' | 'override'
type Case = { kind: Kind; name: string; text: string; exit: number; says: string[] }

const cases: Case[] = JSON.parse(readFileSync('test/corpus/hostile-yaml.json', 'utf8'))

let folder = ''
let root = ''
let cwd = ''

const typed = async (args: readonly string[]): Promise<{ code: number; said: Record<string, unknown> }> => {
  let out = ''
  const code = await main(['--json', ...args], {
    stdin: Readable.from([]) as NodeJS.ReadableStream,
    stdout: { write: (text) => (out += text) },
    stderr: { write: () => true },
    env: { PATH: process.env.PATH, HOME: folder, AGENCY_ROOT: root, CLAUDE_BIN: '/nonexistent/claude' },
    cwd,
    program: 'agency',
    self: [process.execPath],
    signals: new EventEmitter(),
  })
  return { code, said: JSON.parse(out) }
}

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

const scripted = (name: string, more = ''): void =>
  write(`roles/${name}.yaml`, `name: ${name}\ninstructions: hi\nagent_type: scripted\n${more}`)

beforeAll(async () => {
  folder = realpathSync(await mkdtemp(join(tmpdir(), 'agency-hostile-')))
  root = join(folder, 'root')
  cwd = join(folder, 'cwd')
  mkdirSync(cwd)
  expect((await typed(['init'])).code).toBe(0)
  scripted('ok')
  scripted('s')
  scripted('b', 'budget: {turns: 5, wall_time: 1h}\nworktree: {enabled: false}\n')
  write('roles/bad.yaml', 'name: bad\nmodle: x\n')
})
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))

/** Where the text goes, and what reads it there. */
const kinds: Record<Exclude<Kind, 'override'>, { file: string; line: () => string[] }> = {
  role: { file: 'roles/x.yaml', line: () => ['role', 'check', 'x'] },
  pod: { file: 'pods/templates/t.yaml', line: () => ['pod', 'launch', 't', '--dry-run'] },
  config: { file: 'config.yaml', line: () => ['validate', join(root, 'config.yaml')] },
  agent: { file: 'agents/a/config.yaml', line: () => ['validate', join(root, 'agents/a/config.yaml')] },
}

const lineOf = ({ kind, text }: Case): string[] => {
  if (kind === 'override') return ['run', '--role', 'b', '--name', 'n', '--dry-run', `--override=${text}`]
  const { file, line } = kinds[kind]
  write(file, text)
  return line()
}

type Failed = { result: string; text: string; problems?: string[] }

const saidBy = (said: Record<string, unknown>): string[] => {
  const agents = (said.agents ?? []) as Failed[]
  const failed = agents.filter(({ result }) => result === 'failed')
  return [
    ...((said.problems ?? []) as string[]),
    ...failed.flatMap(({ problems = [], text }) => [...problems, text]),
    ...(typeof said.message === 'string' ? [said.message] : []),
  ].map((text) => text.replaceAll(root, 'ROOT'))
}

test.each(cases.map((each) => [each.kind, each.name, each] as const))('%s: %s', async (_, __, each) => {
  const line = lineOf(each)
  const before = readdirSync(folder, { recursive: true }).sort()
  const { code, said } = await typed(line)
  const told = saidBy(said)
  expect([code, told.filter((text) => each.says.includes(text))], told.join('\n')).toEqual([
    each.exit,
    expect.arrayContaining(each.says),
  ])
  expect(readdirSync(folder, { recursive: true }).sort()).toEqual(before)
  if (each.kind === 'config') write('config.yaml', '')
})

const huge: readonly [string, string | Buffer, string][] = [
  [
    '10 MB',
    `name: x\ninstructions: "${'a'.repeat(10_000_000)}"\n`,
    'x.yaml:1:1 the file is larger than 256 KB',
  ],
  ['UTF-16', Buffer.from('\ufeffname: x\n', 'utf16le'), 'x.yaml:1:1 the file is not valid UTF-8 text'],
  [
    'Latin-1',
    Buffer.from('name: x\ninstructions: \xe9\n', 'latin1'),
    'x.yaml:1:1 the file is not valid UTF-8 text',
  ],
  ['open brackets', `name: x\nsettings: ${'['.repeat(100_000)}`, 'nested too deeply'],
  ['open braces', `name: x\nsettings: ${'{a: '.repeat(30_000)}`, 'nested too deeply'],
  ['one field often', `name: x\n${'model: a\n'.repeat(5000)}`, 'x.yaml:3:1 duplicate field model'],
  [
    'deep blocks',
    `name: x\nsettings:\n${Array.from({ length: 150 }, (_, at) => `${' '.repeat(at + 1)}k:\n`).join('')}`,
    'nested deeper than 100 levels',
  ],
]

test.each(huge)('role: %s is refused soon, with a short answer', async (_, text, says) => {
  writeFileSync(join(root, 'roles/x.yaml'), text)
  const began = performance.now()
  const { code, said } = await typed(['role', 'check', 'x'])
  const told = saidBy(said)
  expect([code, told.some((each) => each.includes(says))], told.join('\n')).toEqual([2, true])
  expect(told.length).toBeLessThan(60)
  // Generous for a busy machine; what is quadratic would take minutes.
  expect(performance.now() - began).toBeLessThan(20_000)
})

test('a pod that would be thousands is refused before anything is looked at', async () => {
  const entries = Array.from({ length: 100 }, (_, at) => `{role: ok, name: a${at}, count: 100}`).join(', ')
  write('pods/templates/t.yaml', `agents: [${entries}]\n`)
  const { code, said } = await typed(['pod', 'launch', 't', '--dry-run'])
  expect([code, saidBy(said)]).toEqual([
    2,
    expect.arrayContaining(['pods/templates/t.yaml:1:9 agents: are 10000 together; a pod has at most 100']),
  ])
})

test('an override without a role is no wish that is quietly dropped', async () => {
  const { code, said } = await typed(['run', '--dry-run', '--override', 'model=a', '--', 'ls'])
  expect([code, said.error]).toEqual([2, 'unexpected_argument'])
})

const chain: Record<string, string> = { a: 'b', b: 'c', c: 'a', e: 'e', f: 'gone', g: 'bad', h: 'podonly' }

test.each([
  ['a', 'roles/a.yaml:2:11 inherits must not go in a circle: a → b → c → a'],
  ['e', 'roles/e.yaml:2:11 inherits must not go in a circle: e → e'],
  ['f', 'roles/f.yaml:2:11 inherits must name a role: there is no "gone" (f → gone)'],
  ['g', 'roles/bad.yaml:2:1 unknown field modle (did you mean model?)'],
  ['h', 'roles/h.yaml:2:11 inherits must name a role: there is no "podonly" (h → podonly)'],
  ['d0', 'roles/d0.yaml:2:11 inherits must not go deeper than 10 roles: d0 → d1'],
])('what the role %s inherits is refused', async (name, says) => {
  for (const [child, parent] of Object.entries(chain))
    write(`roles/${child}.yaml`, `name: ${child}\ninherits: ${parent}\n`)
  for (let at = 0; at < 14; at++) write(`roles/d${at}.yaml`, `name: d${at}\ninherits: d${at + 1}\n`)
  scripted('d14')
  write('pods/roles/podonly.yaml', 'name: podonly\ninstructions: hi\n')
  const { code, said } = await typed(['role', 'check', name])
  expect([code, saidBy(said).some((each) => each.startsWith(says))], saidBy(said).join('\n')).toEqual([
    2,
    true,
  ])
})
