import { execFileSync } from 'node:child_process'
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  truncateSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commit, git, ground, write } from '../../test/kit/repository.ts'
import { createWorktree } from './create.ts'

const make = async (
  patterns: string,
  prepare: (repo: string, at: string) => unknown,
  tracked: Readonly<Record<string, string>> = {},
) => {
  const { at, root, repo } = ground({
    '.gitignore': '.env*\nsecrets/\n*.local\nlink*\n',
    'a.txt': 'a',
    ...tracked,
  })
  write(join(repo, '.worktreeinclude'), patterns)
  prepare(repo, at)
  const { path, notes } = await createWorktree({ root, agent: 'a', directory: repo, settings: {} })
  return { at, repo, path, notes, text: (file: string) => readFileSync(join(path, file), 'utf8') }
}

test('ignored files that the patterns name are copied, with their mode', async () => {
  const { path, notes, text } = await make('# ours\n.env\nsecrets/*.pem\n!secrets/no.pem\n', (repo) => {
    write(join(repo, '.env'), 'KEY=1', 0o600)
    write(join(repo, '.env.other'), 'no')
    write(join(repo, 'secrets/a.pem'), 'pem')
    write(join(repo, 'secrets/no.pem'), 'no')
    write(join(repo, 'secrets/deep/b.pem'), 'no')
    write(join(repo, 'below/.env'), 'KEY=2')
  })
  expect([text('.env'), text('below/.env'), text('secrets/a.pem'), notes]).toEqual([
    'KEY=1',
    'KEY=2',
    'pem',
    [],
  ])
  expect(statSync(join(path, '.env')).mode & 0o777).toBe(0o600)
  expect(readdirSync(join(path, 'secrets'))).toEqual(['a.pem'])
  expect(existsSync(join(path, '.env.other'))).toBe(false)
  expect(git(path, 'status', '--porcelain')).toBe('')
})

test('what is not ignored, or is tracked, is not copied', async () => {
  const { path, text } = await make('*\n', (repo) => {
    write(join(repo, 'untracked.txt'), 'x')
    write(join(repo, 'a.txt'), 'changed')
    write(join(repo, 'x.local'), 'local')
  })
  expect([text('a.txt'), text('x.local'), existsSync(join(path, 'untracked.txt'))]).toEqual([
    'a',
    'local',
    false,
  ])
})

test('links stay inside, pipes are left, and it is said', async () => {
  const { path, notes } = await make('link*\n.env\nsecrets\n', (repo, at) => {
    write(join(at, 'outside'), 'theirs')
    symlinkSync('a.txt', join(repo, 'link-inside'))
    symlinkSync('../outside', join(repo, 'link-out'))
    symlinkSync(join(at, 'outside'), join(repo, 'link-far'))
    symlinkSync(at, join(repo, 'secrets'))
    execFileSync('mkfifo', [join(repo, '.env')])
  })
  expect(readlinkSync(join(path, 'link-inside'))).toBe('a.txt')
  for (const name of ['link-out', 'link-far', '.env', 'secrets'])
    expect(existsSync(join(path, name))).toBe(false)
  expect(notes).toHaveLength(1)
  expect(notes[0]).toMatch(/link-far \(it is a link that leads out.*link-out/)
})

test('nothing is written through a link that the commit has', async () => {
  const { at, path, notes } = await make('*.local\n', (repo, at) => {
    write(join(at, 'target/keep'), 'x')
    symlinkSync(join(at, 'target'), join(repo, 'config'))
    git(repo, 'add', 'config')
    git(repo, 'commit', '--quiet', '--message', 'link')
    git(repo, 'rm', '--quiet', '--cached', 'config')
    execFileSync('rm', [join(repo, 'config')])
    write(join(repo, 'config/evil.local'), 'written')
  })
  expect(readdirSync(join(at, 'target'))).toEqual(['keep'])
  expect(readlinkSync(join(path, 'config'))).toBe(join(at, 'target'))
  expect(notes[0]).toContain('config/evil.local')
})

test('too large is left, and it is said', async () => {
  const { path, notes, text } = await make('*.local\n', (repo) => {
    write(join(repo, 'large.local'), '')
    truncateSync(join(repo, 'large.local'), 600 * 1024 * 1024)
    write(join(repo, 'small.local'), 'small')
  })
  expect([existsSync(join(path, 'large.local')), text('small.local')]).toEqual([false, 'small'])
  expect(notes[0]).toContain('large.local (more than')
})

test.each<[string, (repo: string) => unknown]>([
  [
    'a link',
    (repo) => [
      execFileSync('rm', [join(repo, '.worktreeinclude')]),
      symlinkSync('/etc/passwd', join(repo, '.worktreeinclude')),
    ],
  ],
  ['too large', (repo) => write(join(repo, '.worktreeinclude'), 'x\n'.repeat(200_000))],
])('a list that is %s copies nothing, and it is said', async (_, prepare) => {
  const { path, notes } = await make('.env\n', (repo) => {
    write(join(repo, '.env'), 'x')
    prepare(repo)
  })
  expect([existsSync(join(path, '.env')), notes.length]).toEqual([false, 1])
})

test('the list of the worktree one starts from counts, and a copy never replaces a file', async () => {
  const { root, repo } = ground({ '.gitignore': '.env\n', '.worktreeinclude': '.env\n' })
  const one = await createWorktree({ root, agent: 'one', directory: repo, settings: {} })
  write(join(one.path, '.env'), 'of one')
  const two = await createWorktree({ root, agent: 'two', directory: one.path, settings: {} })
  expect(readFileSync(join(two.path, '.env'), 'utf8')).toBe('of one')
  commit(repo, { 'c.txt': 'c' })
  write(join(two.path, '.env'), 'of two')
  await createWorktree({ root, agent: 'two', directory: one.path, settings: {} })
  expect(readFileSync(join(two.path, '.env'), 'utf8')).toBe('of two')
})
