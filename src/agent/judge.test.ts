import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Fact } from '../journal/schema.ts'
import { completeRole } from '../role/rules.ts'
import type { RoleFile } from '../role/schema.ts'
import { keptFile, keptOf } from '../session/kept/rules.ts'
import { readKept, writeKept } from '../session/kept.ts'
import { narrow, widen } from '../session/switch/note.ts'
import { judgeOf, keptLaw, type Law } from './judge.ts'

const roleOf = (more: Partial<RoleFile> = {}) => completeRole({ name: 'r', instructions: 'i', ...more })

const ground = () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'agency-judge-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  const at = (path: string): string => join(folder, path)
  for (const path of ['root/sessions/a', 'tree']) mkdirSync(at(path), { recursive: true })
  // Whoever names the root by a link means the same place.
  symlinkSync('root', at('linked'))
  const facts: Fact[] = []
  const session = at('root/sessions/a')
  const judge = (law: () => Promise<Law>, terminal = true) => {
    const asked = judgeOf({
      subject: 's',
      law,
      ground: { root: at('linked'), tree: at('tree'), session },
      terminal,
      record: (...more) => void facts.push(...more),
    })
    return (tool: string, input: unknown) =>
      asked({
        kind: 'tool_asked',
        session: 's',
        cwd: at('tree'),
        transcript: '',
        call: { id: 'c', tool, input },
      })
  }
  return { at, session, facts, judge }
}

test('a link to a program that the role denies is that program, and so is one that the line makes', async () => {
  const { at, judge } = ground()
  symlinkSync(process.execPath, at('tree/x'))
  const role = roleOf({ permissions: { allow: ['Bash'], deny: ['Bash(node run *)'] } })
  const ask = judge(async () => ({ role, sandboxed: false }))
  const kinds = async (...commands: readonly string[]) =>
    Promise.all(commands.map(async (command) => (await ask('Bash', { command })).kind))
  expect(await kinds('node run it', './x run it', 'cd . && ./y run it')).toEqual(['deny', 'deny', 'deny'])
  expect(await kinds('./x test it', 'cd . && ./y test it', 'make run')).toEqual(['none', 'none', 'none'])
})

test('a call is decided by the files as they are, and kept with its rule unless nothing was said', async () => {
  const { at, facts, judge } = ground()
  const role = roleOf({ capabilities: { can_read_files: true, can_create_files: true } })
  const ask = judge(async () => ({ role, sandboxed: false }))
  expect(await ask('Write', { file_path: at('tree/new'), content: '' })).toEqual({ kind: 'none' })
  expect(facts).toEqual([])
  writeFileSync(at('tree/new'), '')
  const reason = `the role "r" may not change files, and this may write ${at('tree/new')}`
  expect(await ask('Write', { file_path: at('tree/new'), content: '' })).toEqual({
    kind: 'deny',
    reason: `Refused by agency: ${reason}. Retrying will not help.`,
  })
  expect(facts).toEqual([
    {
      kind: 'activity',
      type: 'session.decided',
      subject: 'session:s',
      data: {
        call: 'c',
        tool: 'Write',
        verdict: 'deny',
        layer: 'capabilities',
        rule: 'can_write_files',
        reason,
      },
    },
  ])
})

test('the root is the root under every name, and through links of the agent', async () => {
  const { at, judge } = ground()
  symlinkSync(at('root'), at('tree/innocent'))
  const ask = judge(async () => ({ role: roleOf(), sandboxed: false }))
  for (const path of ['root/x', 'linked/x', 'tree/innocent/roles/x.yaml'])
    expect(await ask('Write', { file_path: at(path) })).toMatchObject({ kind: 'deny' })
  expect(await ask('Bash', { command: 'echo x > innocent/token' })).toMatchObject({ kind: 'deny' })
  expect(await ask('Write', { file_path: at('tree/x') })).toEqual({ kind: 'none' })
})

test('the role as it was launched decides; without it the role as it is now, and no walls', async () => {
  const { session, judge } = ground()
  const { path, text } = keptFile(
    session,
    roleOf({ capabilities: { can_read_files: true, can_execute_commands: true } }),
    'read-only',
  )
  writeFileSync(path, text)
  const kept = judge(keptLaw(session, async () => roleOf()).law)
  expect(await kept('Bash', { command: 'npm test' })).toEqual({ kind: 'none' })
  expect(await kept('Bash', { command: 'touch x' })).toMatchObject({ kind: 'deny' })
  writeFileSync(path, text.replace('"read-only"', 'null'))
  const bare = judge(keptLaw(session, async () => roleOf()).law)
  expect(await bare('Bash', { command: 'npm test' })).toMatchObject({ kind: 'deny' })
  rmSync(path)
  const tester = roleOf({ capabilities: { can_read_files: true, can_execute_commands: true } })
  const now = judge(keptLaw(session, async () => tester).law)
  expect(await now('Bash', { command: 'npm test' })).toMatchObject({ kind: 'deny' })
})

test('where no role can be read every call is refused, until one can', async () => {
  const { session, facts, judge } = ground()
  let there = false
  const load = async () => {
    if (!there) throw new Error('There is no role "r".')
    return roleOf()
  }
  const ask = judge(keptLaw(session, load).law)
  expect(await ask('Read', { file_path: 'x' })).toEqual({
    kind: 'deny',
    reason: 'Refused by agency: it cannot be decided now (There is no role "r".). Retrying will not help.',
  })
  expect(facts.map(({ data }) => data.verdict)).toEqual(['deny'])
  there = true
  expect(await ask('Read', { file_path: 'x' })).toEqual({ kind: 'none' })
})

test.each([undefined, null, 7, 'x', []])('an input that is %j is taken for an empty one', async (input) => {
  const { judge } = ground()
  const role = roleOf({ capabilities: { can_read_files: true, can_write_files: true } })
  const ask = judge(async () => ({ role, sandboxed: false }))
  expect(await ask('Write', input)).toMatchObject({ kind: 'deny' })
})

test('while a role is switched both hold from the next call on; once it is launched, the new one', async () => {
  const { at, session, judge } = ground()
  const [doer, reader] = [
    roleOf({ name: 'doer', permissions: { allow: ['Write'] } }),
    roleOf({ name: 'reader', capabilities: { can_read_files: true } }),
  ]
  await writeKept(session, keptOf(doer, undefined))
  const { law, renew } = keptLaw(session, async () => roleOf())
  const ask = judge(law)
  const write = () => ask('Write', { file_path: at('tree/new'), content: '' })
  expect(await write()).toEqual({ kind: 'none' })
  await narrow(session, reader, async () => doer)
  // What is kept in mind holds until somebody says that it was replaced.
  expect(await write()).toEqual({ kind: 'none' })
  renew()
  const refused = { kind: 'deny', reason: expect.stringContaining('"reader" lacks can_write_files') }
  expect(await write()).toEqual(refused)
  await widen(session)
  renew()
  expect(await write()).toEqual({ kind: 'none' })
  await writeKept(session, keptOf(reader, undefined))
  renew()
  expect(await write()).toEqual(refused)
})

test('a session that kept no role is narrowed from the one it has', async () => {
  const { session } = ground()
  const current = roleOf({ name: 'old' })
  await narrow(session, roleOf({ name: 'new' }), async () => current)
  const kept = await readKept(session)
  expect([kept?.role.name, kept?.next?.name, kept?.tree]).toEqual(['old', 'new', null])
})
