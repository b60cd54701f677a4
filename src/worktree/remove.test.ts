import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { commit, git, ground, write } from '../../test/kit/repository.ts'
import type { AgencyError } from '../base/error/fail.ts'
import { createWorktree } from './create.ts'
import { listWorktrees } from './list.ts'
import { removeWorktree } from './remove.ts'

const made = async (detached = false) => {
  const scene = ground()
  const settings = { use_detached_head: detached }
  const { path } = await createWorktree({ root: scene.root, agent: 'a', directory: scene.repo, settings })
  return { ...scene, path, remove: () => removeWorktree({ root: scene.root, agent: 'a', live: false }) }
}
type Made = Awaited<ReturnType<typeof made>>

test('a tree without work goes, with its branch, and can be made again', async () => {
  const { root, repo, path, remove } = await made()
  expect(await removeWorktree({ root, agent: 'a', live: false, dryRun: true })).toEqual({ path, branch: 'a' })
  expect(existsSync(join(path, 'a.txt'))).toBe(true)
  expect(await remove()).toEqual({ path, branch: 'a' })
  expect([existsSync(path), git(repo, 'branch', '--list', 'a')]).toEqual([false, ''])
  expect(git(repo, 'worktree', 'list').split('\n')).toHaveLength(1)
  expect(await listWorktrees(root)).toEqual([])
  await expect(remove()).rejects.toMatchObject({ code: 'worktree_unknown' })
  expect(await createWorktree({ root, agent: 'a', directory: repo, settings: {} })).toMatchObject({
    reused: false,
  })
})

type Case = {
  readonly detached?: true
  readonly code: string
  readonly says: string
  readonly state: string
  readonly ruin: (scene: Made) => unknown
  /** Typing what the refusal says makes the removal work. */
  readonly helps?: true
}
test.each<[string, Case]>([
  [
    'a changed file',
    {
      code: 'worktree_dirty',
      says: 'a.txt',
      state: 'dirty',
      ruin: ({ path }) => write(join(path, 'a.txt'), 'mine'),
      helps: true,
    },
  ],
  [
    'a new file',
    {
      code: 'worktree_dirty',
      says: 'new.txt',
      state: 'dirty',
      ruin: ({ path }) => write(join(path, 'new.txt'), 'x'),
      helps: true,
    },
  ],
  [
    'a deleted file',
    {
      code: 'worktree_dirty',
      says: 'a.txt',
      state: 'dirty',
      ruin: ({ path }) => rmSync(join(path, 'a.txt')),
      helps: true,
    },
  ],
  [
    'a change that is only staged',
    {
      code: 'worktree_dirty',
      says: 'a.txt',
      state: 'dirty',
      ruin: ({ path }) => {
        write(join(path, 'a.txt'), 'staged')
        git(path, 'add', 'a.txt')
        write(join(path, 'a.txt'), 'a\n')
      },
    },
  ],
  [
    'a change that git was told not to see',
    {
      code: 'worktree_dirty',
      says: 'hidden',
      state: 'dirty',
      ruin: ({ path }) => {
        git(path, 'update-index', '--assume-unchanged', 'a.txt')
        write(join(path, 'a.txt'), 'mine')
      },
    },
  ],
  [
    'a merge that is not finished',
    {
      code: 'worktree_dirty',
      says: 'MERGE_HEAD',
      state: 'dirty',
      ruin: ({ repo, path, first }) => {
        commit(repo, { 'c.txt': 'c' })
        git(path, 'merge', '--quiet', '--no-ff', '--no-commit', 'main')
        git(path, 'read-tree', '--reset', '-u', first)
      },
    },
  ],
  [
    'a commit that nobody else has',
    {
      code: 'worktree_unpushed',
      says: '1 commit ',
      state: 'unpushed',
      ruin: ({ path }) => commit(path, { 'b.txt': 'b' }),
      helps: true,
    },
  ],
  [
    'commits on a detached head',
    {
      detached: true,
      code: 'worktree_unpushed',
      says: '2 commits',
      state: 'unpushed',
      ruin: ({ path }) => [commit(path, { 'b.txt': '1' }), commit(path, { 'b.txt': '2' })],
      helps: true,
    },
  ],
  [
    'commits that a replacement makes look as if main had them',
    {
      code: 'worktree_unpushed',
      says: '1 commit ',
      state: 'unpushed',
      ruin: ({ path, repo }) => {
        const second = commit(repo, { 'c.txt': 'c' })
        const mine = commit(path, { 'b.txt': 'b' })
        git(repo, 'replace', '--graft', second, mine)
        expect(git(repo, 'rev-list', 'a', '--not', 'main')).toBe('')
      },
    },
  ],
  [
    'commits that a graft makes look as if main had them',
    {
      code: 'worktree_unpushed',
      says: '1 commit ',
      state: 'unpushed',
      ruin: ({ path, repo }) => {
        const second = commit(repo, { 'c.txt': 'c' })
        const mine = commit(path, { 'b.txt': 'b' })
        write(join(repo, '.git/info/grafts'), `${second} ${mine}\n`)
        expect(git(repo, 'rev-list', 'a', '--not', 'main')).toBe('')
      },
    },
  ],
  [
    'commits on the branch that was left for another',
    {
      code: 'worktree_unpushed',
      says: '1 commit ',
      state: 'unpushed',
      ruin: ({ path }) => {
        commit(path, { 'b.txt': 'b' })
        git(path, 'switch', '--quiet', '--create', 'other', 'main')
      },
    },
  ],
  [
    'a lock by a person',
    {
      code: 'worktree_pinned',
      says: 'on a stick',
      state: 'clean',
      ruin: ({ repo, path }) => git(repo, 'worktree', 'lock', '--reason', 'on a stick', path),
      helps: true,
    },
  ],
  [
    'a broken link',
    {
      code: 'worktree_unreadable',
      says: 'no .git file',
      state: 'broken',
      ruin: ({ path }) => rmSync(join(path, '.git')),
      helps: true,
    },
  ],
  [
    'a damaged index',
    {
      code: 'worktree_unreadable',
      says: 'index',
      state: 'broken',
      ruin: ({ repo }) => write(join(repo, '.git/worktrees/a/index'), 'garbage'),
    },
  ],
  [
    'a damaged head',
    {
      code: 'worktree_unreadable',
      says: 'HEAD',
      state: 'broken',
      ruin: ({ repo }) => write(join(repo, '.git/worktrees/a/HEAD'), 'garbage'),
      helps: true,
    },
  ],
  [
    'a git at work',
    {
      code: 'worktree_unreadable',
      says: 'index.lock',
      state: 'broken',
      ruin: ({ repo }) => write(join(repo, '.git/worktrees/a/index.lock'), ''),
      helps: true,
    },
  ],
  [
    'a repository that is gone',
    {
      code: 'worktree_unreadable',
      says: 'is gone',
      state: 'broken',
      ruin: ({ repo }) => rmSync(repo, { recursive: true, maxRetries: 20, retryDelay: 100 }),
    },
  ],
])('refused: %s', async (_, { detached, code, says, state, ruin, helps }) => {
  const scene = await made(detached)
  await ruin(scene)
  expect(await listWorktrees(scene.root)).toMatchObject([{ agent: 'a', path: scene.path, state }])
  const before = readdirSync(scene.path)
  const error: AgencyError = await scene.remove().then(
    () => expect.fail('it was removed'),
    (thrown) => thrown,
  )
  expect(error).toMatchObject({ code, message: expect.stringContaining(says) })
  expect(readdirSync(scene.path)).toEqual(before)
  if (!helps) return
  const said = String(error.details.repair)
  const typed = /`([^`]+)`\.$/.exec(said)?.[1] ?? said
  const env = {
    ...process.env,
    GIT_AUTHOR_NAME: 'A',
    GIT_AUTHOR_EMAIL: 'a@b',
    GIT_COMMITTER_NAME: 'A',
    GIT_COMMITTER_EMAIL: 'a@b',
  }
  execFileSync('sh', ['-c', typed], { stdio: 'pipe', env })
  expect(await scene.remove()).toMatchObject({ path: scene.path })
})

test.each<[string, (scene: Made) => unknown]>([
  [
    'a remote has them',
    ({ at, repo, path }) => {
      git(at, 'init', '--quiet', '--bare', 'remote')
      git(repo, 'remote', 'add', 'origin', join(at, 'remote'))
      git(path, 'push', '--quiet', 'origin', 'HEAD:refs/heads/work')
    },
  ],
  ['another branch has them', ({ repo }) => git(repo, 'merge', '--quiet', 'a')],
  ['a tag has them', ({ repo }) => git(repo, 'tag', 'kept', 'a')],
])('commits are no obstacle when %s', async (_, keep) => {
  const scene = await made()
  const mine = commit(scene.path, { 'b.txt': 'b' })
  keep(scene)
  expect(await scene.remove()).toEqual({ path: scene.path, branch: 'a' })
  expect(git(scene.repo, 'cat-file', '-t', mine)).toBe('commit')
})

test('a branch that is checked out elsewhere, or was not made with the tree, stays', async () => {
  const { root, repo, path, remove } = await made()
  git(path, 'switch', '--quiet', '--detach')
  git(repo, 'switch', '--quiet', 'a')
  expect(await remove()).toEqual({ path, branch: null })
  expect(git(repo, 'branch', '--show-current')).toBe('a')
  const theirs = join(root, 'worktrees/b')
  git(repo, 'worktree', 'add', '-b', 'b', theirs)
  await createWorktree({ root, agent: 'b', directory: repo, settings: {} })
  expect(await removeWorktree({ root, agent: 'b', live: false })).toEqual({ path: theirs, branch: null })
  expect(git(repo, 'branch', '--list', 'b')).toBe('b')
})

test('a tree in use stays: by the agent, or by a process that stands in it', async () => {
  const { root, path, remove } = await made()
  await expect(removeWorktree({ root, agent: 'a', live: true })).rejects.toMatchObject({
    code: 'worktree_live',
    details: { repair: 'agency stop a' },
  })
  if (process.platform !== 'linux') return
  const child = spawn('sleep', ['600'], { cwd: join(path, 'below'), stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  await expect(remove()).rejects.toMatchObject({
    code: 'worktree_live',
    details: { repair: `kill ${child.pid}` },
  })
})

test('what we did not make is not removed, and a tree removed by hand is none', async () => {
  const { root, repo, path, remove } = await made()
  write(join(root, 'worktrees/foreign/f'), 'x')
  await expect(removeWorktree({ root, agent: 'foreign', live: false })).rejects.toMatchObject({
    code: 'worktree_unreadable',
  })
  expect(readFileSync(join(root, 'worktrees/foreign/f'), 'utf8')).toBe('x')
  git(repo, 'worktree', 'remove', path)
  expect(await listWorktrees(root)).toMatchObject([{ agent: 'foreign', state: 'broken' }])
  await expect(remove()).rejects.toMatchObject({ code: 'worktree_unknown' })
})

test('a tree whose repository is gone is put aside by what is said, and then its name is free', async () => {
  const { at, root, repo, path, remove } = await made()
  rmSync(repo, { recursive: true, maxRetries: 20, retryDelay: 100 })
  const error = await remove().catch((thrown: AgencyError) => thrown)
  const { repair } = (error as AgencyError).details
  execFileSync('sh', ['-c', String(repair)], { stdio: 'pipe' })
  expect(readFileSync(join(`${path}.old`, 'a.txt'), 'utf8')).toBe('a\n')
  expect(await listWorktrees(root)).toEqual([])
  const other = join(at, 'other')
  git(at, 'init', '--quiet', 'other')
  commit(other, { 'c.txt': 'c' })
  const again = await createWorktree({ root, agent: 'a', directory: other, settings: {} })
  expect([again.path, again.reused, existsSync(join(path, 'c.txt'))]).toEqual([path, false, true])
})

test('what is said of unpushed commits names the remote there is, and it can be typed', async () => {
  const { at, repo, path, remove } = await made()
  git(at, 'init', '--quiet', '--bare', 'up stream')
  git(repo, 'remote', 'add', 'upstream', join(at, 'up stream'))
  const mine = commit(path, { 'b.txt': 'b' })
  const error = await remove().catch((thrown: AgencyError) => thrown)
  const [, push = 'false'] = /`([^`]+)`/.exec(String((error as AgencyError).details.repair)) ?? []
  execFileSync('sh', ['-c', push], { stdio: 'pipe' })
  expect(git(join(at, 'up stream'), 'rev-parse', 'a')).toBe(mine)
  expect(await remove()).toEqual({ path, branch: 'a' })
})

test('a record that was tampered with is none', async () => {
  const { at, root, path } = await made()
  write(join(at, 'precious/file'), 'x')
  const file = join(root, 'worktrees/.agency/a.json')
  const record = JSON.parse(readFileSync(file, 'utf8'))
  write(file, JSON.stringify({ ...record, state: 'making', path: join(at, 'precious') }))
  await expect(removeWorktree({ root, agent: 'a', live: false })).rejects.toMatchObject({
    code: 'worktree_unreadable',
  })
  expect([existsSync(path), existsSync(join(at, 'precious/file'))]).toEqual([true, true])
})

test('a root without trees has none', async () => {
  const { root } = ground()
  expect(await listWorktrees(root)).toEqual([])
  await expect(removeWorktree({ root, agent: 'a', live: false })).rejects.toMatchObject({
    code: 'worktree_unknown',
  })
})
