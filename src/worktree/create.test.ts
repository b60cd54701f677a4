import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { commit, git, ground, temporary, write } from '../../test/kit/repository.ts'
import { AgencyError } from '../base/error/fail.ts'
import { createWorktree } from './create.ts'
import { listWorktrees } from './list.ts'

const failing = async (work: Promise<unknown>): Promise<AgencyError> => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return error instanceof AgencyError ? error : expect.fail(`no failure of ours: ${error}`)
}
const snapshot = (repo: string): unknown => [
  git(repo, 'for-each-ref'),
  git(repo, 'worktree', 'list', '--porcelain'),
  git(repo, 'status', '--porcelain'),
]

test('a new agent gets a tree on a branch of its own', async () => {
  const { root, repo, first } = ground()
  const made = await createWorktree({ root, agent: 'coder-1', directory: repo, settings: {} })
  const path = join(root, 'worktrees/coder-1')
  expect(made).toEqual({
    path,
    repository: join(repo, '.git'),
    branch: 'coder-1',
    reused: false,
    notes: [],
  })
  expect(readFileSync(join(path, 'below/b.txt'), 'utf8')).toBe('b\n')
  expect(git(path, 'status', '--porcelain')).toBe('')
  expect(git(path, 'rev-parse', 'HEAD')).toBe(first)
  expect(git(path, 'symbolic-ref', 'HEAD')).toBe('refs/heads/coder-1')
  expect(git(repo, 'fsck', '--no-progress')).toBe('')
})

test('detached, from any ref, also from a directory below and from another worktree', async () => {
  const { root, repo, first } = ground()
  commit(repo, { 'c.txt': 'c' })
  git(repo, 'tag', 'v1', first)
  const settings = { branch_from: 'v1', use_detached_head: true }
  const one = await createWorktree({ root, agent: 'one', directory: join(repo, 'below'), settings })
  expect(one).toMatchObject({ branch: null, reused: false })
  expect([git(one.path, 'rev-parse', 'HEAD'), git(one.path, 'branch', '--show-current')]).toEqual([first, ''])
  const two = await createWorktree({ root, agent: 'two', directory: one.path, settings: {} })
  expect(two).toMatchObject({ branch: 'two', repository: join(repo, '.git') })
  expect(git(repo, 'branch', '--list', 'one')).toBe('')
})

test('a re-run uses the tree as it was left, whatever the settings say now', async () => {
  const { root, repo } = ground()
  const asked = { root, agent: 'a', directory: repo, settings: {} }
  const { path } = await createWorktree(asked)
  commit(path, { 'work.txt': 'work' })
  git(path, 'switch', '--quiet', '--create', 'feature')
  write(join(path, 'draft.txt'), 'draft')
  const again = await createWorktree({ ...asked, settings: { branch_from: 'gone', use_detached_head: true } })
  expect(again).toMatchObject({ path, branch: 'feature', reused: true })
  expect(readFileSync(join(path, 'draft.txt'), 'utf8')).toBe('draft')
})

test('a tree that a person made at the place is taken over', async () => {
  const { root, repo } = ground()
  const path = join(root, 'worktrees/mine')
  git(repo, 'worktree', 'add', '-b', 'other', path)
  const made = await createWorktree({ root, agent: 'mine', directory: repo, settings: {} })
  expect(made).toMatchObject({ path, branch: 'other', reused: true })
})

test('a branch before a tag of the same name', async () => {
  const { root, repo, first } = ground()
  const second = commit(repo, { 'c.txt': 'c' })
  git(repo, 'tag', 'main', first)
  const { path } = await createWorktree({ root, agent: 'a', directory: repo, settings: {} })
  expect(git(path, 'rev-parse', 'HEAD')).toBe(second)
})

test('a bare repository, a SHA-256 one, names with blanks', async () => {
  const { at, root, repo } = ground({ 'a b/ü.txt': 'x' })
  git(at, 'clone', '--quiet', '--bare', repo, join(at, 'bare one.git'))
  const bare = await createWorktree({ root, agent: 'a', directory: join(at, 'bare one.git'), settings: {} })
  expect(readFileSync(join(bare.path, 'a b/ü.txt'), 'utf8')).toBe('x')
  git(at, 'init', '--quiet', '--object-format=sha256', 'long')
  commit(join(at, 'long'), { f: 'f' })
  const long = await createWorktree({ root, agent: 'b', directory: join(at, 'long'), settings: {} })
  expect(git(long.path, 'status', '--porcelain')).toBe('')
})

type Broken = {
  readonly code: string
  /** What a person reads. */
  readonly says: readonly (string | RegExp)[]
  readonly directory?: string
  readonly agent?: string
  readonly settings?: Parameters<typeof createWorktree>[0]['settings']
  /** The tree was made before. */
  readonly made?: true
  readonly ruin?: (place: { at: string; repo: string; path: string; root: string }) => unknown
  /** Commands are typed as they are and the next run works. Default true. */
  readonly repaired?: false
}

test.each<[string, Broken]>([
  [
    'the directory does not exist',
    { code: 'worktree_directory_missing', says: ['does not exist'], directory: 'gone', repaired: false },
  ],
  [
    'the directory is a file',
    {
      code: 'worktree_directory_missing',
      says: ['is not a directory'],
      directory: 'repo/a.txt',
      repaired: false,
    },
  ],
  [
    'the directory is no repository',
    { code: 'worktree_not_repository', says: ['not a git repository'], directory: 'root', repaired: false },
  ],
  [
    'the ref does not exist',
    {
      code: 'worktree_ref_missing',
      says: ['"nope"', 'branch_from=main'],
      settings: { branch_from: 'nope' },
      repaired: false,
    },
  ],
  [
    'the ref is an option',
    {
      code: 'worktree_ref_missing',
      says: ['branch_from'],
      settings: { branch_from: '--upload-pack=touch pwn' },
      repaired: false,
    },
  ],
  [
    'the branch is checked out elsewhere',
    {
      code: 'worktree_branch_exists',
      says: ['branch "main" exists', 'checked out in'],
      agent: 'main',
      repaired: false,
    },
  ],
  [
    'the branch was left by somebody',
    {
      code: 'worktree_branch_exists',
      says: ['branch "a" exists', 'worktree add'],
      ruin: ({ repo }) => git(repo, 'branch', 'a'),
    },
  ],
  [
    'a branch lies below the name',
    {
      code: 'worktree_branch_exists',
      says: ['branch "a/b" exists', '--name'],
      ruin: ({ repo }) => git(repo, 'branch', 'a/b'),
      repaired: false,
    },
  ],
  [
    'the place is a file',
    { code: 'worktree_occupied', says: ['a file'], ruin: ({ path }) => write(path, 'x') },
  ],
  [
    'the place is a link',
    {
      code: 'worktree_occupied',
      says: ['symbolic link'],
      made: true,
      ruin: ({ path, at }) => {
        renameSync(path, join(at, 'moved'))
        symlinkSync(join(at, 'moved'), path)
      },
      repaired: false,
    },
  ],
  [
    'the place is a repository of its own',
    {
      code: 'worktree_occupied',
      says: ['repository of its own'],
      ruin: ({ at, path }) => git(at, 'init', '--quiet', path),
    },
  ],
  [
    'the place has files but no .git',
    { code: 'worktree_corrupt', says: ['has no .git file'], ruin: ({ path }) => write(join(path, 'f'), 'x') },
  ],
  [
    'the .git file was deleted',
    {
      code: 'worktree_corrupt',
      says: ['has no .git file'],
      made: true,
      ruin: ({ path }) => rmSync(join(path, '.git')),
    },
  ],
  [
    'the .git file is garbage',
    {
      code: 'worktree_corrupt',
      says: ['names no git directory'],
      made: true,
      ruin: ({ path }) => writeFileSync(join(path, '.git'), 'garbage'),
    },
  ],
  [
    'the .git file leads to an entry of another tree',
    {
      code: 'worktree_corrupt',
      says: ['names', 'not'],
      made: true,
      ruin: ({ repo, at, path }) => {
        git(repo, 'worktree', 'add', '-b', 'other', join(at, 'other'))
        writeFileSync(join(path, '.git'), `gitdir: ${repo}/.git/worktrees/other\n`)
      },
    },
  ],
  [
    'the entry is gone',
    {
      code: 'worktree_corrupt',
      says: ['is gone'],
      made: true,
      ruin: ({ repo }) => {
        rmSync(join(repo, '.git/worktrees/a'), { recursive: true, maxRetries: 20, retryDelay: 100 })
        git(repo, 'branch', '-D', 'a')
      },
    },
  ],
  [
    'its HEAD is damaged',
    {
      code: 'worktree_corrupt',
      says: ['HEAD is damaged'],
      made: true,
      ruin: ({ repo }) => write(join(repo, '.git/worktrees/a/HEAD'), ''),
    },
  ],
  [
    'git was killed over the index',
    {
      code: 'worktree_index_locked',
      says: ['index.lock'],
      made: true,
      ruin: ({ repo }) => write(join(repo, '.git/worktrees/a/index.lock'), ''),
    },
  ],
  [
    'the directory was deleted by hand',
    {
      code: 'worktree_missing',
      says: ['is gone'],
      made: true,
      ruin: ({ path }) => rmSync(path, { recursive: true, maxRetries: 20, retryDelay: 100 }),
    },
  ],
  [
    'the directory of a locked one was deleted by hand',
    {
      code: 'worktree_missing',
      says: ['is gone'],
      made: true,
      ruin: ({ repo, path }) => {
        git(repo, 'worktree', 'lock', path)
        rmSync(path, { recursive: true, maxRetries: 20, retryDelay: 100 })
      },
    },
  ],
  [
    'the tree belongs to another repository',
    {
      code: 'worktree_other',
      says: ['another repository'],
      ruin: ({ at, root }) => {
        git(at, 'init', '--quiet', 'second')
        commit(join(at, 'second'), { f: 'f' })
        return createWorktree({ root, agent: 'a', directory: join(at, 'second'), settings: {} })
      },
      repaired: false,
    },
  ],
])('refused: %s', async (_, { code, says, directory, agent = 'a', settings = {}, made, ruin, repaired }) => {
  const { at, root, repo } = ground()
  const path = join(root, 'worktrees', agent)
  const asked = { root, agent, directory: join(at, directory ?? 'repo'), settings }
  if (made) await createWorktree(asked)
  await ruin?.({ at, repo, path, root })
  const before = [snapshot(repo), readdirSync(at), existsSync(path) && readdirSync(root)]
  const error = await failing(createWorktree(asked))
  expect(error.code).toBe(code)
  const text = [error.words.message, error.words.next].join('\n')
  for (const part of says) expect(text).toMatch(part)
  expect([snapshot(repo), readdirSync(at), existsSync(path) && readdirSync(root)]).toEqual(before)
  if (repaired === false) return
  const command = code === 'worktree_branch_exists' ? /type `(.+?)`/.exec(text)?.[1] : error.details.repair
  execFileSync('sh', ['-c', String(command)], { stdio: 'pipe' })
  expect(await createWorktree(asked)).toMatchObject({ path })
  expect(git(path, 'status', '--porcelain')).toBe('')
})

test('a repository without a commit, and the command that helps', async () => {
  const { at, root } = ground()
  git(at, 'init', '--quiet', 'empty')
  const asked = { root, agent: 'a', directory: join(at, 'empty'), settings: {} }
  const error = await failing(createWorktree(asked))
  expect(error.code).toBe('worktree_no_commit')
  git(join(at, 'empty'), 'commit', '--allow-empty', '--message', 'Begin')
  expect(error.words.next).toContain('commit --allow-empty -m Begin')
  expect(await createWorktree(asked)).toMatchObject({ reused: false })
})

test('a directory whose commondir borrows another repository is none', async () => {
  const { at, root, repo } = ground()
  const fake = join(at, 'fake')
  for (const folder of ['refs', 'objects']) mkdirSync(join(fake, '.git', folder), { recursive: true })
  write(join(fake, '.git/HEAD'), 'ref: refs/heads/main\n')
  write(join(fake, '.git/commondir'), join(repo, '.git'))
  const before = snapshot(repo)
  const error = await failing(createWorktree({ root, agent: 'a', directory: fake, settings: {} }))
  expect([error.code, snapshot(repo)]).toEqual(['worktree_not_repository', before])
})

test('what fails in the middle leaves nothing behind', async () => {
  const { root, repo } = ground()
  const blob = git(repo, 'rev-parse', 'HEAD:below/b.txt')
  rmSync(join(repo, '.git/objects', blob.slice(0, 2), blob.slice(2)))
  const before = [git(repo, 'for-each-ref'), git(repo, 'worktree', 'list', '--porcelain')]
  const error = await failing(createWorktree({ root, agent: 'a', directory: repo, settings: {} }))
  expect(error.code).toBe('worktree_git_failed')
  expect(error.message).toContain(blob)
  expect([git(repo, 'for-each-ref'), git(repo, 'worktree', 'list', '--porcelain')]).toEqual(before)
  expect(readdirSync(join(root, 'worktrees'))).toEqual(['.agency'])
  expect(existsSync(join(root, 'worktrees/.agency/a.json'))).toBe(false)
})

test('an agent of a name that is no name makes nothing', async () => {
  const root = temporary()
  await expect(createWorktree({ root, agent: '../x', directory: root, settings: {} })).rejects.toThrow()
  expect(readdirSync(root)).toEqual([])
})

test('a root that was moved is told apart from a damaged tree, and repaired', async () => {
  const { at, root, repo } = ground()
  await createWorktree({ root, agent: 'a', directory: repo, settings: {} })
  const moved = join(at, 'moved')
  renameSync(root, moved)
  const asked = { root: moved, agent: 'a', directory: repo, settings: {} }
  const error = await failing(createWorktree(asked))
  expect([error.code, error.message]).toEqual(['worktree_corrupt', expect.stringContaining(root)])
  execFileSync('sh', ['-c', String(error.details.repair)], { stdio: 'pipe' })
  expect(await createWorktree(asked)).toMatchObject({ branch: 'a', reused: true })
})

test('a split index is read', async () => {
  const { root, repo } = ground()
  const { path } = await createWorktree({ root, agent: 'a', directory: repo, settings: {} })
  git(path, 'update-index', '--split-index')
  expect(readdirSync(join(repo, '.git/worktrees/a')).join()).toContain('sharedindex.')
  expect(await listWorktrees(root)).toMatchObject([{ state: 'clean' }])
})

test('a repository of somebody else, until the user calls it safe', async () => {
  // Only root can give something away.
  if (process.getuid?.() !== 0) return
  const { root, repo } = ground()
  const asked = { root, agent: 'a', directory: repo, settings: {} }
  execFileSync('chown', ['-R', '54321', repo])
  const error = await failing(createWorktree(asked))
  expect([error.code, error.message]).toEqual([
    'worktree_not_repository',
    expect.stringContaining('dubious ownership'),
  ])
  git(root, 'config', '--global', '--add', 'safe.directory', repo)
  onTestFinished(() => void git(root, 'config', '--global', '--unset-all', 'safe.directory', repo))
  expect(await createWorktree(asked)).toMatchObject({ branch: 'a' })
})

test('what a person makes at the last moment is theirs', async () => {
  const { at, root, repo } = ground()
  const before = process.env.PATH
  onTestFinished(() => {
    process.env.PATH = before
  })
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
  const meanwhile = (deed: string): void => {
    write(
      join(at, 'bin/git'),
      `#!/bin/sh\ncase "$*" in *"worktree add"*) ${deed};; esac\nexec ${real} "$@"\n`,
      0o755,
    )
    process.env.PATH = `${join(at, 'bin')}:${before}`
  }
  meanwhile(`${real} -C ${repo} branch a main`)
  const branch = await failing(createWorktree({ root, agent: 'a', directory: repo, settings: {} }))
  expect([branch.code, git(repo, 'branch', '--list', 'a')]).toEqual(['worktree_git_failed', 'a'])
  meanwhile(`mkdir ${root}/worktrees/b; echo mine > ${root}/worktrees/b/file`)
  const place = await failing(createWorktree({ root, agent: 'b', directory: repo, settings: {} }))
  expect(place.message).toContain('already exists')
  expect(readFileSync(join(root, 'worktrees/b/file'), 'utf8')).toBe('mine\n')
  expect(readdirSync(join(root, 'worktrees/.agency')).filter((file) => file.endsWith('.json'))).toEqual([])
})
