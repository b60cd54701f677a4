// Bad input of the command line and of files: refused with the right exit code and words, and nothing is made.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { inside } from './inside.ts'
import { type Said, type World, world } from './kit.ts'

type Case = {
  id: string
  surface: string
  name: string
  input: {
    argv?: string[]
    file?: string
    text?: string
    mode?: string
    setup?: string
    name?: string
    role?: string
    when?: string
    stdout?: string
  }
  expect: { exit?: number | number[]; stderr_has?: string[]; stderr_lacks?: string[] }
}

const corpus = JSON.parse(readFileSync('test/corpus/bad-input.json', 'utf8')) as Case[]
const of = (surface: string): Case[] => corpus.filter((each) => each.surface === surface)

const expectSaid = (
  { code, err, out }: Said,
  { exit, stderr_has = [], stderr_lacks = [] }: Case['expect'],
): void => {
  if (exit !== undefined) expect([exit].flat(), err).toContain(code)
  for (const word of stderr_has) expect(err.toLowerCase()).toContain(word.toLowerCase())
  for (const word of stderr_lacks) expect(err).not.toContain(word)
  expect(err).not.toMatch(/\n\s+at .*:\d+:\d+/)
  if (code !== 0) expect(out).toBe('')
}

/** A root with the role `r`. */
const rooted = async (): Promise<World> => {
  const at = world()
  expect((await at.agency(['init'])).code).toBe(0)
  writeFileSync(join(at.root, 'roles/r.yaml'), 'name: r\ninstructions: Work.\n')
  return at
}

// Played in test/agent: the branch is looked at when the worktree is made.
const later = ['i228']

test.each(of('cli').filter(({ input }) => input.when === undefined && input.stdout === undefined))(
  '$id $name',
  async ({ input, expect: expected }) => {
    const at = await rooted()
    const before = at.tree()
    expectSaid(await at.agency(input.argv ?? []), expected)
    expect(at.tree()).toEqual(before)
  },
)

test('i182 name in use: the agent that runs is not disturbed', async () => {
  const { input, expect: expected } = corpus.find(({ id }) => id === 'i182') ?? expect.fail('no such case')
  const at = await rooted()
  mkdirSync(join(at.root, 'agents/a'), { recursive: true })
  writeFileSync(join(at.root, 'roles/s.yaml'), 'name: s\nagent_type: scripted\ninstructions: Work.\n')
  writeFileSync(join(at.root, 'agents/a/config.yaml'), 'role: s\nsandbox: { enabled: false }\n')
  await at.agency(['start'])
  await expect
    .poll(async () => JSON.stringify(await at.json(['list'])), { timeout: 30_000 })
    .toContain('"idle"')
  const before = at.tree().filter((path) => path.includes('sockets'))
  expectSaid(await at.agency(input.argv ?? []), expected)
  expect(at.tree().filter((path) => path.includes('sockets'))).toEqual(before)
  expect(JSON.stringify(await at.json(['list']))).toContain('"idle"')
})

test('i184 stdout closed', async () => {
  const { expect: expected } = corpus.find(({ id }) => id === 'i184') ?? expect.fail('no such case')
  const at = await rooted()
  const script = `"$0" list | true; exit "\${PIPESTATUS[0]}"`
  const { status, stderr } = spawnSync('bash', ['-c', script, 'bin/agency'], {
    env: at.env,
    encoding: 'utf8',
  })
  expectSaid({ code: status, signal: null, out: '', err: stderr }, expected)
})

const place = (at: World, { file = '', text, mode, setup }: Case['input']): void => {
  const path = join(at.root, file)
  mkdirSync(dirname(path), { recursive: true })
  if (setup !== undefined) spawnSync('bash', ['-c', setup], { cwd: at.root })
  if (text !== undefined) writeFileSync(path, text)
  if (mode !== undefined) chmodSync(path, Number.parseInt(mode, 8))
}

test.each(of('yaml'))('$id $name', async ({ input, expect: expected }) => {
  const at = await rooted()
  place(at, input)
  const before = at.tree()
  expectSaid(await at.agency(['validate', input.file ?? ''], { cwd: at.root }), expected)
  expect(at.tree()).toEqual(before)
})

test.each(of('agent-name').filter(({ id }) => !later.includes(id)))(
  '$id name: $name',
  async ({ input: { name = '' }, expect: expected }) => {
    const at = await rooted()
    const files: Record<string, object> = {
      'pods/templates/p.yaml': { agents: [{ name, role: 'r' }] },
      'directors/g/config.yaml': { type: 'github', name, repo: 'o/r' },
    }
    for (const [file, value] of Object.entries(files)) place(at, { file, text: JSON.stringify(value) })
    const before = at.tree()
    expectSaid(await inside(at, ['run', '--role', 'r', '--name', name]), expected)
    expectSaid(await inside(at, ['run', '--role', 'r', `--name=${name}`, '--dry-run']), expected)
    for (const file of Object.keys(files))
      expectSaid(await inside(at, ['validate', join(at.root, file)]), expected)
    expect(at.tree()).toEqual(before)
  },
)

test('every case of these surfaces is played, or named as one that waits', () => {
  expect(of('cli').length + of('yaml').length + of('agent-name').length).toBe(38)
  expect(corpus.filter(({ id }) => later.includes(id)).map(({ name }) => name)).toEqual(['branch exists'])
})
