import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commit, git, ground, write } from '../../test/kit/repository.ts'
import { borrowedBy } from './borrow.ts'
import { createClone } from './clone.ts'
import { createWorktree } from './create.ts'
import { fetchWork } from './fetch.ts'
import { listWorktrees } from './list.ts'
import { removeWorktree } from './remove.ts'

const made = async (at: ReturnType<typeof ground>, agent = 'coder', settings = {}) =>
  createClone({ root: at.root, agent, directory: at.repo, settings })

const failing = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'it went through',
    (error) => error.code,
  )

test('a clone has the files, a branch of its own and the objects of the other, and the other has nothing new', async () => {
  const at = ground()
  git(at.repo, 'branch', 'topic')
  git(at.repo, 'tag', 'v1')
  git(at.repo, 'config', 'user.email', 'me@example.org')
  const before = git(at.repo, 'for-each-ref')
  const { path, branch, reused, notes } = await made(at)
  expect({ branch, reused, notes }).toEqual({ branch: 'coder', reused: false, notes: [] })
  expect(readFileSync(join(path, 'below/b.txt'), 'utf8')).toBe('b\n')
  expect(git(path, 'status', '--short', '--branch')).toBe('## coder')
  expect(git(path, 'branch', '--all', '--format=%(refname)').split('\n')).toEqual([
    'refs/heads/coder',
    'refs/remotes/origin/main',
    'refs/remotes/origin/topic',
  ])
  expect(git(path, 'tag')).toBe('v1')
  expect(git(path, 'config', 'user.email')).toBe('ann@example.org')
  expect(readFileSync(join(path, '.git/config'), 'utf8')).toContain('me@example.org')
  expect(git(path, 'count-objects')).toMatch(/^0 objects/)
  expect(git(at.repo, 'for-each-ref')).toBe(before)
  expect(existsSync(join(at.repo, '.git/worktrees'))).toBe(false)
  expect(await borrowedBy(at.repo)).toEqual([join(at.repo, '.git/objects')])
  expect((await made(at)).reused).toBe(true)
})

test('detached, and from another commit', async () => {
  const at = ground()
  const first = git(at.repo, 'rev-parse', 'HEAD')
  commit(at.repo, { 'a.txt': 'newer\n' })
  const { path, branch } = await made(at, 'x', { use_detached_head: true, branch_from: first })
  expect([branch, git(path, 'rev-parse', 'HEAD'), readFileSync(join(path, 'a.txt'), 'utf8')]).toEqual([
    null,
    first,
    'a\n',
  ])
})

test('what an agent commits comes back as its branch; the tree of the user stays', async () => {
  const at = ground()
  const { path } = await made(at)
  const done = commit(path, { 'new.txt': 'new\n' })
  expect((await listWorktrees(at.root))[0]).toMatchObject({
    agent: 'coder',
    state: 'unpushed',
    unpushed: 1,
    branch: 'coder',
  })
  expect(await fetchWork(at.root, 'coder')).toEqual({ branch: { name: 'coder', commit: done }, notes: [] })
  expect(git(at.repo, 'rev-parse', 'coder')).toBe(done)
  expect(git(at.repo, 'status', '--short')).toBe('')
  expect((await listWorktrees(at.root))[0]).toMatchObject({ state: 'clean', unpushed: 0 })
  const again = commit(path, { 'more.txt': 'more\n' })
  git(path, 'reset', '--quiet', '--soft', done)
  git(path, 'commit', '--quiet', '--amend', '-m', 'rewritten')
  const rewritten = git(path, 'rev-parse', 'HEAD')
  expect(again).not.toBe(rewritten)
  expect(await fetchWork(at.root, 'coder')).toEqual({
    branch: { name: 'coder', commit: rewritten },
    notes: [],
  })
})

test('a branch that the user moved or stands on is not moved; the work is kept beside it', async () => {
  const at = ground()
  const { path } = await made(at)
  commit(path, { 'new.txt': 'new\n' })
  await fetchWork(at.root, 'coder')
  git(at.repo, 'checkout', '--quiet', 'coder')
  const next = commit(path, { 'new.txt': 'newer\n' })
  const standing = await fetchWork(at.root, 'coder')
  expect(standing?.notes).toEqual([
    `The branch "coder" is checked out in ${at.repo} and was not moved: what the agent did is at ${next.slice(0, 12)}.`,
  ])
  const own = commit(at.repo, { 'mine.txt': 'mine\n' })
  git(at.repo, 'checkout', '--quiet', 'main')
  const moved = await fetchWork(at.root, 'coder')
  expect(moved?.notes).toEqual([
    `The branch "coder" has other commits and was not moved: what the agent did is at ${next.slice(0, 12)}.`,
  ])
  expect(git(at.repo, 'rev-parse', 'coder')).toBe(own)
  expect(git(at.repo, 'rev-parse', 'refs/agency/coder/coder')).toBe(next)
})

test('nothing that an agent put into its clone is run or followed', async () => {
  const at = ground()
  const { path } = await made(at)
  const done = commit(path, { 'new.txt': 'new\n', '.gitattributes': '* filter=x\n' })
  const canary = join(at.root, 'CANARY')
  const evil = write(join(at.root, 'evil.sh'), `#!/bin/sh\ntouch ${canary}\nexec "$@"\n`, 0o755)
  for (const [key, value] of [
    ['core.fsmonitor', evil],
    ['core.hooksPath', path],
    ['core.sshCommand', evil],
    ['core.alternateRefsCommand', evil],
    ['filter.x.clean', evil],
    ['filter.x.process', evil],
    ['uploadpack.packObjectsHook', evil],
    ['remote.evil.url', at.repo],
    ['remote.evil.promisor', 'true'],
    ['remote.evil.uploadpack', evil],
    ['extensions.partialClone', 'evil'],
    ['include.path', evil],
  ] as const)
    git(path, 'config', '--file', join(path, '.git/config'), key, value)
  for (const hook of ['post-checkout', 'reference-transaction', 'pre-commit', 'post-index-change'])
    write(join(path, '.git/hooks', hook), readFileSync(evil, 'utf8'), 0o755)
  writeFileSync(join(path, '.git/commondir'), `${at.root}\n`)
  expect((await fetchWork(at.root, 'coder'))?.branch?.commit).toBe(done)
  await listWorktrees(at.root)
  await made(at)
  expect(existsSync(canary)).toBe(false)
})

test('broken or planted objects are refused, and the branch stays', async () => {
  const at = ground()
  const { path } = await made(at)
  const tree = git(path, 'write-tree')
  const entry = git(path, 'rev-parse', 'HEAD:a.txt')
  // A tree with a file called .git: whoever checks it out gets a repository of the agent's making.
  const raw = `100644 .git\0${Buffer.from(entry, 'hex').toString('latin1')}`
  writeFileSync(join(at.root, 'raw'), raw, 'latin1')
  const bad = git(path, 'hash-object', '-t', 'tree', '-w', '--literally', join(at.root, 'raw'))
  const evil = git(path, 'commit-tree', bad, '-m', 'x')
  git(path, 'update-ref', 'refs/heads/coder', evil)
  expect(tree).not.toBe(bad)
  expect(await failing(fetchWork(at.root, 'coder'))).toBe('worktree_git_failed')
  expect(git(at.repo, 'branch', '--list', 'coder')).toBe('')
  writeFileSync(join(path, '.git/refs/heads/coder'), `${'0'.repeat(39)}1\n`)
  expect(await failing(fetchWork(at.root, 'coder'))).toBe('worktree_git_failed')
})

test('names that are none, links and nonsense among the branches are left out', async () => {
  const at = ground()
  const { path } = await made(at)
  const done = git(path, 'rev-parse', 'HEAD')
  symlinkSync('/etc/passwd', join(path, '.git/refs/heads/link'))
  writeFileSync(join(path, '.git/refs/heads/nonsense'), 'hello\n')
  writeFileSync(join(path, '.git/refs/heads/--upload-pack=x'), `${done}\n`)
  writeFileSync(join(path, '.git/refs/heads/a..b'), `${done}\n`)
  expect(await fetchWork(at.root, 'coder')).toEqual({ branch: { name: 'coder', commit: done }, notes: [] })
  expect(git(at.repo, 'for-each-ref', '--format=%(refname)', 'refs/agency')).toBe('refs/agency/coder/coder')
})

test('removed when nothing is lost: commits are taken first, what is not committed is in the way', async () => {
  const at = ground()
  const { path } = await made(at)
  writeFileSync(join(path, 'wip.txt'), 'wip')
  expect(await failing(removeWorktree({ root: at.root, agent: 'coder', live: false }))).toBe('worktree_dirty')
  const done = commit(path, {})
  expect(await removeWorktree({ root: at.root, agent: 'coder', live: false })).toEqual({ path, branch: null })
  expect(existsSync(path)).toBe(false)
  expect(git(at.repo, 'rev-parse', 'coder')).toBe(done)
  expect(await listWorktrees(at.root)).toEqual([])
})

test('the same errors as a worktree', async () => {
  const at = ground()
  expect(await failing(made(at, 'a', { branch_from: 'nope' }))).toBe('worktree_ref_missing')
  git(at.repo, 'branch', 'b')
  expect(await failing(made(at, 'b'))).toBe('worktree_branch_exists')
  mkdirSync(join(at.root, 'worktrees/c'), { recursive: true })
  writeFileSync(join(at.root, 'worktrees/c/x'), '')
  expect(await failing(made(at, 'c'))).toBe('worktree_corrupt')
  expect(await failing(createClone({ root: at.root, agent: 'd', directory: '/tmp', settings: {} }))).toBe(
    'worktree_not_repository',
  )
  await createWorktree({ root: at.root, agent: 'e', directory: at.repo, settings: {} })
  expect(await failing(made(at, 'e'))).toBe('worktree_occupied')
  const { path } = await made(at, 'f')
  writeFileSync(join(path, '.git/index.lock'), '')
  expect(await failing(made(at, 'f'))).toBe('worktree_index_locked')
  expect(await failing(createWorktree({ root: at.root, agent: 'f', directory: at.repo, settings: {} }))).toBe(
    'worktree_occupied',
  )
})

test('killed while it was made or removed, the next run puts it right', async () => {
  const at = ground()
  const { path } = await made(at)
  const file = join(at.root, 'worktrees/.agency/coder.json')
  const record = JSON.parse(readFileSync(file, 'utf8'))
  rmSync(join(path, '.git/index'))
  writeFileSync(file, JSON.stringify({ ...record, state: 'making' }))
  expect((await made(at)).reused).toBe(false)
  expect(git(path, 'status', '--short')).toBe('')
  writeFileSync(file, JSON.stringify({ ...record, state: 'removing' }))
  expect((await made(at)).reused).toBe(true)
  rmSync(path, { recursive: true })
  writeFileSync(file, JSON.stringify({ ...record, state: 'removing' }))
  expect((await made(at)).reused).toBe(false)
})
