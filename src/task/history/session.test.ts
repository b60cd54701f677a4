// What a session leaves goes with its last task: all that is called after it, nothing else, and no work of git.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { forgetSession, keepOwner, readOwner } from './session.ts'

const session = '3f0c1a52-1111-4000-8000-000000000001'
const other = '3f0c1a52-2222-4000-8000-000000000002'
const owner = { agent: 'coder', session }
const id = 'task-one'

const stage = () => {
  const folder = mkdtempSync(join(tmpdir(), 'agency-forget-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  const root = join(folder, 'root')
  const put = (path: string, text = 'x'): string => {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return file
  }
  const files = (): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .sort()
  return { folder, root, put, files }
}

const config = 'root/sessions/coder/.claude'
const never = (): boolean => false

test('all that is called after it goes, and nothing else', async () => {
  const { root, put, files } = stage()
  for (const path of [
    `${config}/projects/-x/${session}.jsonl`,
    `${config}/projects/-x/${session}/subagents/a.jsonl`,
    `${config}/projects/-root-work-${session}/memory/x.md`,
    `${config}/todos/${session}-agent-${other}.json`,
    `${config}/file-history/${session}/deep/er/file`,
    `root/work/${session}/some/file`,
    `root/snapshots/${session}/HEAD`,
  ])
    put(path)
  const stays = [
    `${config}/projects/-x/${other}.jsonl`,
    `${config}/.claude.json`,
    `${config}/a/b/c/${session}`,
    `root/work/${other}/file`,
    `root/snapshots/${other}/HEAD`,
    `root/sessions/other/.claude/projects/-x/${session}.jsonl`,
    `root/history/${session}/file`,
  ].sort()
  for (const path of stays) put(path)
  expect(await forgetSession(root, owner, never)).toBeUndefined()
  expect(files()).toEqual(stays)
  expect(existsSync(join(root, 'work', session))).toBe(false)
  expect(await forgetSession(root, owner, never)).toBeUndefined()
})

test('where another task tells of it, nothing goes, also when that is given meanwhile', async () => {
  const { root, put, files } = stage()
  const transcript = `${config}/projects/-x/${session}.jsonl`
  for (const path of [transcript, `root/work/${session}/file`]) put(path)
  await forgetSession(root, owner, () => true)
  expect(files()).toEqual([transcript, `root/work/${session}/file`])
  let asked = 0
  await forgetSession(root, owner, () => {
    asked += 1
    return asked > 1
  })
  expect(files()).toEqual([transcript, `root/work/${session}/file`])
})

test.each([
  ['a repository', '.git/HEAD'],
  ['a work tree', '.git'],
  ['one further down', 'a/b/c/.git/HEAD'],
])('what may be unpushed stays: %s', async (_, path) => {
  const { root, put, files } = stage()
  put(`root/work/${session}/${path}`)
  const why = await forgetSession(root, owner, never)
  expect(why).toContain('holds a git repository')
  expect(files()).toEqual([`root/work/${session}/${path}`])
})

test('a bare repository stays too', async () => {
  const { root, put, files } = stage()
  const parts = ['HEAD', 'objects/x', 'refs/x'].map((part) => `root/work/${session}/r/${part}`)
  for (const part of parts) put(part)
  expect(await forgetSession(root, owner, never)).toContain('holds a git repository')
  expect(files()).toEqual(parts)
})

test.each([
  ['the directory it worked in', `root/work/${session}`],
  ['what all of them work in', 'root/work'],
  ['what the CLI keeps', config],
  ['where the CLI keeps it', `${config}/projects`],
  ['its agent', 'root/sessions/coder'],
])('behind a link nothing goes: %s', async (_, path) => {
  const { folder, root, put, files } = stage()
  const outside = ['file', `${session}/file`, `projects/-x/${session}.jsonl`, `.claude/todos/${session}.json`]
  for (const each of outside) put(`outside/${each}`)
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  symlinkSync(join(folder, 'outside'), join(folder, path))
  const before = files()
  await forgetSession(root, owner, never)
  expect(files().filter((each) => each.startsWith('outside'))).toEqual(
    before.filter((each) => each.startsWith('outside')),
  )
})

test('a link in it goes, and not what it names', async () => {
  const { folder, root, put, files } = stage()
  put('outside/file')
  put(`root/work/${session}/file`)
  symlinkSync(join(folder, 'outside'), join(root, 'work', session, 'link'))
  mkdirSync(join(folder, config, 'projects/-x'), { recursive: true })
  symlinkSync(join(folder, 'outside'), join(folder, config, 'projects/-x', `${session}.jsonl`))
  await forgetSession(root, owner, never)
  expect(files()).toEqual(['outside/file'])
})

test('whose it was is found by the files of the task; what is no name or no session is nobody’s', async () => {
  const { root } = stage()
  expect(await readOwner(root, id)).toBeUndefined()
  await keepOwner(root, id, owner)
  expect(await readOwner(root, id)).toEqual(owner)
  const file = join(root, 'history', id, 'session')
  expect(readFileSync(file, 'utf8')).toContain(session)
  for (const text of [
    '{',
    '{}',
    JSON.stringify({ ...owner, session: '..' }),
    JSON.stringify({ ...owner, agent: '../x' }),
  ]) {
    writeFileSync(file, text)
    expect([text, await readOwner(root, id)]).toEqual([text, undefined])
  }
})
