// What stands in the way of a worktree, as typed: refused with nothing made, and what is said to type helps.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { stage } from '../agent/kit.ts'
import { commit, git, write } from '../kit/repository.ts'
import { inside } from './inside.ts'
import type { World } from './kit.ts'

type Ground = World & { repo: string; path: string }

const prepared = async (): Promise<Ground> => {
  const s = 'name: s\nagent_type: scripted\ninstructions: Work.\nworktree: {enabled: true}\n'
  const at = await stage({ scripts: [{ replies: [{ text: 'Heard.', times: 0 }] }] }, { s })
  const repo = join(at.folder, 'a repo ü')
  mkdirSync(repo)
  git(repo, 'init', '--quiet', '-b', 'main')
  commit(repo, { 'a.txt': 'a' })
  return { ...at, repo, path: join(at.root, 'worktrees/w') }
}

/** As a person at a shell, with a name for commits. */
const type = (line: string): void => {
  const person = {
    GIT_AUTHOR_NAME: 'A',
    GIT_AUTHOR_EMAIL: 'a@b',
    GIT_COMMITTER_NAME: 'A',
    GIT_COMMITTER_EMAIL: 'a@b',
  }
  execFileSync('sh', ['-c', line], { stdio: 'pipe', env: { ...process.env, ...person } })
}

type Obstacle = {
  readonly ruin: (at: Ground) => unknown
  /** Where the role works; default the repository. */
  readonly directory?: (at: Ground) => string
  readonly says: string
  /** How often something is in the way before the launch would go; the last advice may be an option to add. */
  readonly steps?: number
}

const registered = ({ repo, path }: Ground): void => void git(repo, 'worktree', 'add', '-b', 'w', path)

test.each<[string, Obstacle]>([
  [
    'no directory',
    { ruin: () => {}, directory: ({ folder }) => join(folder, 'no where'), says: 'does not exist', steps: 2 },
  ],
  [
    'a file instead of a directory',
    {
      ruin: ({ folder }) => write(join(folder, 'file'), ''),
      directory: ({ folder }) => join(folder, 'file'),
      says: 'is not a directory',
      steps: 3,
    },
  ],
  [
    'no repository',
    { ruin: () => {}, directory: ({ cwd }) => cwd, says: 'is not a git repository', steps: 2 },
  ],
  [
    'the branch exists',
    { ruin: ({ repo }) => git(repo, 'branch', 'w'), says: 'The branch "w" exists already,' },
  ],
  [
    'the branch is checked out elsewhere',
    {
      ruin: ({ repo, folder }) => git(repo, 'worktree', 'add', '-b', 'w', join(folder, 'else where')),
      says: 'is checked out in',
      steps: 2,
    },
  ],
  [
    'a tree without its .git',
    { ruin: (at) => [registered(at), rmSync(join(at.path, '.git'))], says: 'it has no .git file' },
  ],
  [
    'a tree with garbage for .git',
    {
      ruin: (at) => [registered(at), writeFileSync(join(at.path, '.git'), 'x')],
      says: 'names no git directory',
    },
  ],
  [
    'a tree that is gone',
    { ruin: (at) => [registered(at), rmSync(at.path, { recursive: true })], says: 'its directory is gone' },
  ],
  ['a directory that is no tree', { ruin: ({ path }) => write(join(path, 'f'), ''), says: 'is corrupt' }],
  ['a file where the tree would be', { ruin: ({ path }) => write(path, ''), says: 'it is a file' }],
  [
    'a git that was killed',
    {
      ruin: (at) => [registered(at), write(join(at.repo, '.git/worktrees/w/index.lock'), '')],
      says: 'index.lock exists',
    },
  ],
])('%s', async (_, { ruin, directory = ({ repo }) => repo, says, steps = 1 }) => {
  const at = await prepared()
  ruin(at)
  const line = ['run', '--role', 's', '--name', 'w', '--override', `root_dir=${directory(at)}`, '--dry-run']
  const first = await inside(at, line)
  expect([first.code, first.err]).toEqual([1, expect.stringContaining(says)])
  for (let left = steps; left > 0; left--) {
    const before = at.tree()
    const { err } = await inside(at, line)
    expect(at.tree()).toEqual(before)
    const advised = [...err.matchAll(/`((?:git|mv|rm) [^`]+)`/g)].map(([, text = '']) => text)
    expect(advised, err).not.toEqual([])
    type(advised[0] ?? 'false')
  }
  const then = await inside(at, line)
  expect([then.code, then.out], then.err).toEqual([0, expect.stringContaining('(a worktree of ')])
})

test.each<[string, (at: Ground) => string]>([
  [
    'a bare repository',
    ({ repo, folder }) => {
      git(folder, 'clone', '--quiet', '--bare', repo, 'bare.git')
      return join(folder, 'bare.git')
    },
  ],
  [
    'a directory below the top',
    ({ repo }) => {
      mkdirSync(join(repo, 'below/it'), { recursive: true })
      return join(repo, 'below/it')
    },
  ],
  [
    'a repository inside another',
    ({ repo }) => {
      git(repo, 'init', '--quiet', '-b', 'main', 'inner')
      commit(join(repo, 'inner'), { 'b.txt': 'b' })
      return join(repo, 'inner')
    },
  ],
  [
    'a repository with a submodule',
    ({ repo, folder }) => {
      git(folder, 'init', '--quiet', '-b', 'main', 'module')
      commit(join(folder, 'module'), { 'm.txt': 'm' })
      git(
        repo,
        '-c',
        'protocol.file.allow=always',
        'submodule',
        '--quiet',
        'add',
        join(folder, 'module'),
        'part',
      )
      git(repo, 'commit', '--quiet', '--message', 'part')
      return repo
    },
  ],
])('%s can be worked on', async (_, place) => {
  const at = await prepared()
  const where = place(at)
  const line = ['run', '--role', 's', '--name', 'w', '--override', `root_dir=${where}`]
  expect((await inside(at, [...line, '--dry-run'])).code).toBe(0)
  const { code, err } = await at.agency([...line, '--detach'])
  expect(code, err).toBe(0)
  expect(readdirSync(at.path)).toContain('.git')
  expect(git(at.path, 'branch', '--show-current')).toBe('w')
  await at.agency(['stop', 'w'])
  expect(await at.agency(['worktree', 'remove', 'w'])).toMatchObject({ code: 0 })
  expect(existsSync(at.path)).toBe(false)
})
