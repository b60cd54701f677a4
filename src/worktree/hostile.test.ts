// Repositories that run a program at every chance git gives them. Each trap is first shown to work.
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { commit, git, ground, write } from '../../test/kit/repository.ts'
import { createWorktree } from './create.ts'
import { listWorktrees } from './list.ts'
import { removeWorktree } from './remove.ts'

type Scene = { at: string; root: string; repo: string; path: string; trap: string; first: string }
type Trap = {
  readonly arm: (scene: Scene) => unknown
  /** Plain git that falls into it; absent where plain git would not either, and we look all the same. */
  readonly bait?: (scene: Scene) => unknown
}

const tryGit = (directory: string, ...args: readonly string[]): void => {
  try {
    git(directory, ...args)
  } catch {
    // Whether plain git fails over a trap is not the question, only whether the trap ran.
  }
}
const set = (repo: string, key: string, value: string): string => git(repo, 'config', key, value)
const hook = ({ repo, trap }: Scene, name: string): void => {
  write(join(repo, '.git/hooks', name), `#!/bin/sh\n${trap}\nexit 0\n`)
  chmodSync(join(repo, '.git/hooks', name), 0o755)
}
const other = (scene: Scene): string => join(scene.at, 'other')
const addPlain = (scene: Scene): void => tryGit(scene.repo, 'worktree', 'add', '-b', 'plain', other(scene))
const touchAll = (directory: string): void => {
  // A new time without a new text: git must read, and so clean, the file again.
  for (const name of readdirSync(directory))
    if (name.endsWith('.txt')) utimesSync(join(directory, name), 1, 1)
}
const withhold = ({ repo }: Scene, url: string): void => {
  const blob = git(repo, 'rev-parse', 'HEAD:below/b.txt')
  rmSync(join(repo, '.git/objects', blob.slice(0, 2), blob.slice(2)))
  set(repo, 'core.repositoryformatversion', '1')
  set(repo, 'extensions.partialClone', 'origin')
  set(repo, 'remote.origin.url', url)
  set(repo, 'remote.origin.promisor', 'true')
}
const filter =
  (key: string) =>
  ({ repo, trap }: Scene): void => {
    commit(repo, { '.gitattributes': '*.txt filter=evil diff=evil merge=evil\n' })
    set(repo, `filter.evil.${key}`, `${trap}; cat`)
    set(repo, 'filter.evil.required', 'true')
  }

const traps: [string, Trap][] = [
  ['post-checkout hook', { arm: (scene) => hook(scene, 'post-checkout'), bait: addPlain }],
  ['reference-transaction hook', { arm: (scene) => hook(scene, 'reference-transaction'), bait: addPlain }],
  ['post-index-change hook', { arm: (scene) => hook(scene, 'post-index-change'), bait: addPlain }],
  [
    'core.hooksPath',
    {
      arm: ({ at, repo, trap }) => {
        chmodSync(write(join(at, 'hooks/post-checkout'), `#!/bin/sh\n${trap}\n`), 0o755)
        set(repo, 'core.hooksPath', join(at, 'hooks'))
      },
      bait: addPlain,
    },
  ],
  [
    'core.fsmonitor',
    {
      arm: ({ repo, trap }) => set(repo, 'core.fsmonitor', `${trap}; false`),
      bait: ({ repo }) => tryGit(repo, 'status'),
    },
  ],
  [
    'a monitor by a conditional include',
    {
      arm: ({ at, repo, trap }) => {
        write(join(at, 'evil.config'), `[core]\n\tfsmonitor = "${trap}; false"\n`)
        set(repo, 'includeIf.gitdir:**.path', join(at, 'evil.config'))
      },
      bait: ({ repo }) => tryGit(repo, 'status'),
    },
  ],
  [
    'a monitor in config.worktree',
    {
      arm: ({ repo, trap }) => {
        set(repo, 'extensions.worktreeConfig', 'true')
        git(repo, 'config', '--worktree', 'core.fsmonitor', `${trap}; false`)
      },
      bait: ({ repo }) => tryGit(repo, 'status'),
    },
  ],
  ['smudge filter', { arm: filter('smudge'), bait: addPlain }],
  ['process filter', { arm: filter('process'), bait: addPlain }],
  [
    'clean filter',
    {
      arm: filter('clean'),
      bait: ({ repo }) => {
        touchAll(repo)
        tryGit(repo, 'status')
      },
    },
  ],
  [
    'core.sshCommand for a missing object',
    {
      arm: (scene) => {
        withhold(scene, 'ssh://example.org/x')
        set(scene.repo, 'core.sshCommand', `${scene.trap}; false`)
      },
      bait: addPlain,
    },
  ],
  [
    'an ext:: remote for a missing object',
    {
      arm: (scene) => {
        withhold(scene, `ext::sh -c ${scene.trap.replaceAll(' ', '% ')}`)
        set(scene.repo, 'protocol.ext.allow', 'always')
        set(scene.repo, 'protocol.allow', 'always')
      },
      bait: addPlain,
    },
  ],
  [
    'a receiving program for a missing object',
    {
      arm: (scene) => {
        withhold(scene, scene.repo)
        set(scene.repo, 'remote.origin.uploadpack', `${scene.trap}; false`)
        set(scene.repo, 'uploadpack.packObjectsHook', scene.trap)
      },
      bait: addPlain,
    },
  ],
  [
    'a difference program',
    {
      arm: ({ repo, trap }) => {
        commit(repo, { 'a.txt': 'changed\n' })
        set(repo, 'diff.external', trap)
      },
      bait: ({ repo }) => tryGit(repo, 'diff', '--ext-diff', 'HEAD~1'),
    },
  ],
  [
    'textconv',
    {
      arm: (scene) => {
        commit(scene.repo, { '.gitattributes': '*.txt diff=evil\n', 'a.txt': 'changed\n' })
        set(scene.repo, 'diff.evil.textconv', scene.trap)
      },
      bait: ({ repo }) => tryGit(repo, 'show', '--textconv', 'HEAD'),
    },
  ],
  [
    'aliases of every command',
    {
      arm: ({ repo, trap }) => {
        for (const name of ['status', 'worktree', 'rev-parse', 'read-tree', 'rev-list', 'zap'])
          set(repo, `alias.${name}`, `!${trap}`)
      },
      bait: ({ repo }) => tryGit(repo, 'zap'),
    },
  ],
  [
    'gpg.program',
    {
      arm: ({ repo, trap }) => {
        set(repo, 'gpg.program', write(join(repo, '../gpg'), `#!/bin/sh\n${trap}\n`, 0o755))
        set(repo, 'commit.gpgSign', 'true')
        set(repo, 'log.showSignature', 'true')
      },
      bait: ({ repo }) => tryGit(repo, 'commit', '--allow-empty', '-m', 'signed'),
    },
  ],
  [
    'pager, editor and helpers',
    {
      arm: ({ repo, trap }) => {
        for (const key of [
          'core.pager',
          'core.editor',
          'sequence.editor',
          'core.askPass',
          'credential.helper',
        ])
          set(repo, key, `!${trap}`)
        set(repo, 'core.editor', trap)
        set(repo, 'pager.status', trap)
      },
      bait: ({ repo }) => tryGit(repo, 'commit', '--allow-empty'),
    },
  ],
  [
    'submodule.update',
    {
      arm: ({ at, repo, trap, first }) => {
        git(at, 'clone', '--quiet', repo, join(at, 'module'))
        write(join(repo, '.gitmodules'), '[submodule "m"]\n\tpath = m\n\turl = ../module\n')
        git(repo, 'update-index', '--add', '--cacheinfo', `160000,${first},m`)
        git(repo, 'add', '.gitmodules')
        git(repo, 'commit', '--quiet', '--message', 'module')
        set(repo, 'submodule.m.url', join(at, 'module'))
        git(repo, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--init')
        commit(join(repo, 'm'), { 'more.txt': 'more' })
        set(repo, 'submodule.m.update', `!${trap}`)
        set(repo, 'submodule.recurse', 'true')
        set(repo, 'protocol.file.allow', 'always')
      },
      bait: ({ repo }) => tryGit(repo, 'submodule', 'update'),
    },
  ],
]

test.each(traps)('nothing runs: %s', async (_, { arm, bait }) => {
  const { at, root, repo, first } = ground()
  const fired = join(at, 'fired')
  const path = join(root, 'worktrees/a')
  const scene = { at, root, repo, path, trap: `touch ${fired}`, first }
  await arm(scene)
  bait?.(scene)
  expect(existsSync(fired)).toBe(bait !== undefined)
  rmSync(fired, { force: true })
  rmSync(other(scene), { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  tryGit(repo, '-c', 'core.hooksPath=/dev/null', 'worktree', 'prune')
  rmSync(fired, { force: true })

  const asked = { root, agent: 'a', directory: repo, settings: {} }
  const made = await createWorktree(asked).catch((error: { code: string }) => error.code)
  expect(existsSync(fired)).toBe(false)
  if (made === 'worktree_git_failed') {
    // The missing object is not fetched; nothing half-made stays.
    expect(existsSync(path)).toBe(false)
    return
  }
  touchAll(path)
  expect(await listWorktrees(root)).toMatchObject([{ agent: 'a', state: 'clean' }])
  write(join(path, 'a.txt'), 'other\n')
  expect(await listWorktrees(root)).toMatchObject([{ agent: 'a', state: 'dirty', dirty: ['a.txt'] }])
  rmSync(join(path, 'a.txt'))
  await createWorktree(asked)
  writeFileSync(join(path, 'a.txt'), execFileSync('git', ['-C', repo, 'cat-file', 'blob', 'main:a.txt']))
  await removeWorktree({ root, agent: 'a', live: false })
  expect([existsSync(fired), existsSync(path)]).toEqual([false, false])
})

test('a tree of the agent that points at a repository of its own making is not believed', async () => {
  const { at, root, repo } = ground()
  const fired = join(at, 'fired')
  const { path } = await createWorktree({ root, agent: 'a', directory: repo, settings: {} })
  const evil = join(at, 'evil')
  git(at, 'clone', '--quiet', repo, evil)
  set(evil, 'core.fsmonitor', `touch ${fired}; false`)
  writeFileSync(join(path, '.git'), `gitdir: ${evil}/.git\n`)
  tryGit(path, 'status')
  expect(existsSync(fired)).toBe(true)
  rmSync(fired)
  expect(await listWorktrees(root)).toMatchObject([{ state: 'broken', repository: join(repo, '.git') }])
  await expect(removeWorktree({ root, agent: 'a', live: false })).rejects.toMatchObject({
    code: 'worktree_unreadable',
  })
  expect([existsSync(fired), existsSync(path)]).toEqual([false, true])
})

test('a submodule inside the tree is not entered', async () => {
  const { at, root, repo } = ground()
  const fired = join(at, 'fired')
  git(at, 'clone', '--quiet', repo, join(at, 'module'))
  git(repo, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', join(at, 'module'), 'm')
  git(repo, 'commit', '--quiet', '--message', 'module')
  const { path } = await createWorktree({ root, agent: 'a', directory: repo, settings: {} })
  git(path, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--init')
  set(join(path, 'm'), 'core.fsmonitor', `touch ${fired}; false`)
  tryGit(path, 'status')
  expect(existsSync(fired)).toBe(true)
  rmSync(fired)
  expect(await listWorktrees(root)).toMatchObject([
    { state: 'broken', why: expect.stringContaining('m/.git') },
  ])
  expect(existsSync(fired)).toBe(false)
  // What a submodule holds is kept beside the tree, also once it is gone from it.
  git(path, 'submodule', '--quiet', 'deinit', '--all', '--force')
  const error = await removeWorktree({ root, agent: 'a', live: false }).catch((thrown) => thrown)
  expect(error).toMatchObject({ code: 'worktree_unreadable', message: expect.stringContaining('modules') })
  execFileSync('sh', ['-c', error.details.repair], { stdio: 'pipe' })
  await removeWorktree({ root, agent: 'a', live: false })
  expect(existsSync(path)).toBe(false)
})

test('neither our environment nor a program near by is used', async () => {
  const { at, root, repo } = ground()
  const fired = join(at, 'fired')
  const trap = write(join(at, 'trap'), `#!/bin/sh\ntouch ${fired}\n`, 0o755)
  write(join(repo, 'git'), `#!/bin/sh\ntouch ${fired}\n`, 0o755)
  const before = { ...process.env }
  onTestFinished(() => {
    process.env = before
  })
  Object.assign(process.env, {
    PATH: `.:${process.env.PATH}`,
    GIT_DIR: join(at, 'nowhere'),
    GIT_WORK_TREE: at,
    GIT_INDEX_FILE: join(at, 'index'),
    GIT_EXTERNAL_DIFF: trap,
    GIT_SSH_COMMAND: trap,
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.fsmonitor',
    GIT_CONFIG_VALUE_0: trap,
    GIT_EXEC_PATH: at,
  })
  const { path } = await createWorktree({ root, agent: 'a', directory: repo, settings: {} })
  expect(await listWorktrees(root)).toMatchObject([{ path, state: 'clean' }])
  expect(existsSync(fired)).toBe(false)
})

test('a repository whose configuration never ends to be read is given up', async () => {
  const { at, root, repo } = ground()
  await createWorktree({ root, agent: 'a', directory: repo, settings: {} })
  mkdirSync(join(at, 'pipes'))
  execFileSync('mkfifo', [join(at, 'pipes/fifo')])
  set(repo, 'include.path', join(at, 'pipes/fifo'))
  expect(await listWorktrees(root, 1)).toMatchObject([
    { agent: 'a', state: 'broken', why: expect.stringContaining('did not end') },
  ])
})
