import { expect, test } from 'vitest'
import { branchOf, commonOf, placeOf, planWorktree } from './rules.ts'
import type { Entry, Found, Settings } from './schema.ts'

const repository = { common: '/r/.git', gitdir: '/r/.git', top: '/r' }
const gitdir = '/r/.git/worktrees/a'
const entry: Entry = {
  gitdir,
  tree: '/w/a',
  head: 'ref: refs/heads/a',
  locked: undefined,
  indexed: true,
  busy: false,
}
const whole = { kind: 'directory', git: 'file', gitdir } as const
const fresh: Found = {
  agent: 'a',
  path: '/w/a',
  directory: '/r',
  ground: 'directory',
  repository,
  words: '',
  place: { kind: 'absent' },
  entry: undefined,
  elsewhere: undefined,
  born: true,
  commit: 'c1',
  meant: undefined,
  taken: undefined,
}
const refuse = (code: string, facts: Record<string, string>) => ({ action: 'refuse', code, facts })
const corrupt = (why: string, repair: string) => refuse('worktree_corrupt', { path: '/w/a', why, repair })
const occupied = (what: string) =>
  refuse('worktree_occupied', { path: '/w/a', what, repair: 'mv /w/a /w/a.old' })
const repair = 'git -C /r worktree repair'
const aside = 'mv /w/a /w/a.old'
const name = 'Choose another name for the agent: add `--name a-2`.'

test.each<[string, Partial<Found>, Settings, unknown]>([
  [
    'nothing there: a new branch',
    {},
    {},
    { action: 'branch', path: '/w/a', repository, branch: 'a', commit: 'c1' },
  ],
  [
    'an empty directory is nothing',
    { place: { kind: 'empty' } },
    {},
    { action: 'branch', path: '/w/a', repository, branch: 'a', commit: 'c1' },
  ],
  ['detached', {}, { use_detached_head: true }, { action: 'detach', path: '/w/a', repository, commit: 'c1' }],
  [
    'detached needs no branch',
    { taken: { branch: 'a', at: undefined } },
    { use_detached_head: true },
    { action: 'detach', path: '/w/a', repository, commit: 'c1' },
  ],
  ['the tree it had', { place: whole, entry }, {}, { action: 'reuse', path: '/w/a', repository, entry }],
  [
    'the tree it had, although the ref is gone and its branch exists',
    { place: whole, entry, commit: undefined, taken: { branch: 'a', at: '/w/a' } },
    {},
    { action: 'reuse', path: '/w/a', repository, entry },
  ],
  [
    'no directory',
    { ground: 'absent', repository: undefined },
    {},
    refuse('worktree_directory_missing', {
      directory: '/r',
      what: 'does not exist',
      repair: 'git init -b main /r',
    }),
  ],
  [
    'a file for a directory',
    { ground: 'file', repository: undefined },
    {},
    refuse('worktree_directory_missing', {
      directory: '/r',
      what: 'is not a directory',
      repair: 'mv /r /r.old',
    }),
  ],
  [
    'no repository, even if a tree is there',
    { repository: undefined, words: 'not a git repository', place: whole },
    {},
    refuse('worktree_not_repository', {
      directory: '/r',
      words: 'not a git repository',
      repair: 'git init -b main /r',
    }),
  ],
  [
    'no commit',
    { commit: undefined, born: false },
    {},
    refuse('worktree_no_commit', { directory: '/r', repair: 'git -C /r commit --allow-empty -m Begin' }),
  ],
  [
    'no such ref',
    { commit: undefined },
    { branch_from: 'x' },
    refuse('worktree_ref_missing', {
      ref: 'x',
      directory: '/r',
      meant: '',
      repair: 'git -C /r branch --all',
    }),
  ],
  [
    'no main, but another',
    { commit: undefined, meant: 'master' },
    {},
    refuse('worktree_ref_missing', {
      ref: 'main',
      directory: '/r',
      meant: ', perhaps by `--override worktree.branch_from=master`',
      repair: 'git -C /r branch --all',
    }),
  ],
  [
    'the branch is checked out',
    { taken: { branch: 'a', at: '/r' } },
    {},
    refuse('worktree_branch_exists', {
      agent: 'a',
      branch: 'a',
      where: ' and is checked out in /r',
      repair: name,
    }),
  ],
  [
    'the branch is checked out in another tree',
    { taken: { branch: 'a', at: '/else where' } },
    {},
    refuse('worktree_branch_exists', {
      agent: 'a',
      branch: 'a',
      where: ' and is checked out in /else where',
      repair:
        "Choose another name for the agent: add `--name a-2`; or free the branch, `git -C '/else where' switch --detach`, and try again.",
    }),
  ],
  [
    'a branch below the name',
    { taken: { branch: 'a/b', at: undefined } },
    {},
    refuse('worktree_branch_exists', { agent: 'a', branch: 'a/b', where: '', repair: name }),
  ],
  [
    'the branch was left',
    { taken: { branch: 'a', at: undefined } },
    {},
    refuse('worktree_branch_exists', {
      agent: 'a',
      branch: 'a',
      where: '',
      repair:
        'To go on with that branch type `git -C /r worktree add /w/a a` and try again; if it is no longer needed, `git -C /r branch -d a`; or choose another name for the agent: add `--name a-2`.',
    }),
  ],
  [
    'registered but gone',
    { entry },
    {},
    refuse('worktree_missing', {
      path: '/w/a',
      directory: '/r',
      repair: 'git -C /r worktree add -f /w/a a',
      forget: 'git -C /r worktree prune',
    }),
  ],
  [
    'registered, locked, detached but gone',
    { entry: { ...entry, locked: '', head: 'c9' }, place: { kind: 'empty' } },
    {},
    refuse('worktree_missing', {
      path: '/w/a',
      directory: '/r',
      repair: 'git -C /r worktree unlock /w/a && git -C /r worktree add -f --detach /w/a c9',
      forget: 'git -C /r worktree unlock /w/a && git -C /r worktree prune',
    }),
  ],
  ['a file', { place: { kind: 'file' } }, {}, occupied('a file')],
  ['a link, even to the tree', { place: { kind: 'link' }, entry }, {}, occupied('a symbolic link')],
  [
    'a repository',
    { place: { kind: 'directory', git: 'directory' } },
    {},
    occupied('a repository of its own'),
  ],
  [
    'no .git, not registered',
    { place: { kind: 'directory', git: 'none' } },
    {},
    corrupt('it has no .git file', aside),
  ],
  [
    'no .git, registered',
    { place: { kind: 'directory', git: 'none' }, entry },
    {},
    corrupt('it has no .git file', repair),
  ],
  [
    'a garbled .git, registered',
    { place: { kind: 'directory', git: 'garbage' }, entry },
    {},
    corrupt('its .git file names no git directory', repair),
  ],
  ['registration gone', { place: whole }, {}, corrupt('/r/.git/worktrees/a is gone', aside)],
  [
    'the root was moved',
    { place: whole, elsewhere: { tree: '/old/a', there: false } },
    {},
    corrupt('/r/.git/worktrees/a has it at /old/a', 'git -C /r worktree repair /w/a'),
  ],
  [
    'a copy',
    { place: whole, elsewhere: { tree: '/old/a', there: true } },
    {},
    corrupt('/r/.git/worktrees/a has it at /old/a', aside),
  ],
  [
    'it names another entry',
    { place: { ...whole, gitdir: '/r/.git/worktrees/b' }, entry },
    {},
    corrupt('its .git file names /r/.git/worktrees/b, not /r/.git/worktrees/a', repair),
  ],
  [
    'a damaged HEAD',
    { place: whole, entry: { ...entry, head: 'x' } },
    {},
    corrupt('/r/.git/worktrees/a/HEAD is damaged', "echo 'ref: refs/heads/a' > /r/.git/worktrees/a/HEAD"),
  ],
  [
    'a tree of another repository',
    { place: { ...whole, gitdir: '/s/.git/worktrees/a' } },
    {},
    refuse('worktree_other', {
      path: '/w/a',
      found: '/s/.git',
      directory: '/r',
      repair: 'agency worktree remove a',
    }),
  ],
  [
    'a git at work',
    { place: whole, entry: { ...entry, busy: true } },
    {},
    refuse('worktree_index_locked', {
      path: '/w/a',
      file: `${gitdir}/index.lock`,
      repair: `rm ${gitdir}/index.lock`,
    }),
  ],
])('%s', (_, found, settings, expected) => {
  expect(planWorktree({ ...fresh, ...found }, settings)).toEqual(expected)
})

test('commands can be typed as they are, whatever the paths', () => {
  const odd = { common: "/it's here/.git", gitdir: "/it's here/.git", top: "/it's here" }
  const plan = planWorktree({ ...fresh, repository: odd, commit: undefined }, {})
  expect(plan).toMatchObject({ facts: { repair: "git -C '/it'\\''s here' branch --all" } })
  const bare = planWorktree({ ...fresh, repository: { ...odd, top: undefined }, commit: undefined }, {})
  expect(bare).toMatchObject({ facts: { repair: "git -C '/it'\\''s here/.git' branch --all" } })
})

test('what belongs to a tree', () => {
  expect(placeOf('/w', 'a')).toEqual({
    path: '/w/a',
    own: '/w/.agency',
    record: '/w/.agency/a.json',
    lock: '/w/.agency/a.lock',
    alive: '/w/.agency/a.alive',
    removed: '/w/.agency/a.removed',
    repositories: '/w/.agency/repositories',
  })
  expect([commonOf('/r/.git/worktrees/a'), commonOf('/s/.git')]).toEqual(['/r/.git', '/s/.git'])
  expect([branchOf({ head: 'ref: refs/heads/x/y' }), branchOf({ head: 'c1' })]).toEqual(['x/y', null])
})
