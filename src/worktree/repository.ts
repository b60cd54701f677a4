// What a repository says of its worktrees, and what lies where one should be. Read from files, not by
// `git worktree list`: that one dies when another git is just writing an entry.
import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { readText } from '../base/file/read.ts'
import { oneLine } from '../base/text/rules.ts'
import { tellGit } from './git.ts'
import { commonOf } from './rules.ts'
import type { Entry, Place, Repository } from './schema.ts'

const line = async (file: string): Promise<string | undefined> => {
  const read = await readText(file, { limit: 8192, nofollow: true })
  return 'text' in read ? read.text.replace(/\n+$/, '') : undefined
}

const there = async (path: string) => lstat(path).catch(() => undefined)

/** As git does: the nearest directory upwards with a `.git`. Git's own answer may come from core.worktree. */
const topOf = async (directory: string): Promise<string | undefined> => {
  for (let at = directory; ; at = dirname(at)) {
    if (await there(join(at, '.git'))) return at
    if (at === dirname(at)) return undefined
  }
}

export type Discovery = { readonly repository: Repository | undefined; readonly words: string }

export const findRepository = async (directory: string): Promise<Discovery> => {
  const asked = ['-C', directory, 'rev-parse', '--path-format=absolute', '--git-dir', '--git-common-dir']
  // With the user's own configuration: which repositories of others are safe is said there.
  const env = { GIT_CONFIG_GLOBAL: undefined, GIT_CONFIG_NOSYSTEM: undefined }
  const { code, out, words } = await tellGit(asked, { env })
  const [gitdir, common] = await Promise.all(
    out.split('\n').map((path) => realpath(path).catch(() => undefined)),
  )
  if (code !== 0 || gitdir === undefined || common === undefined)
    return { repository: undefined, words: oneLine(words.replace(/^fatal: /, '')) || 'git does not say why' }
  // A `commondir` file may name any repository; only that of a registered worktree is followed.
  if (gitdir !== common && commonOf(gitdir) !== common)
    return { repository: undefined, words: `${gitdir}/commondir leads to ${common}` }
  const top = await topOf(await realpath(directory))
  return { repository: { common, gitdir, top }, words: '' }
}

const readEntry = async (common: string, id: string): Promise<Entry | undefined> => {
  const gitdir = join(common, 'worktrees', id)
  const [link, head, locked, shared, index, lock] = await Promise.all([
    line(join(gitdir, 'gitdir')),
    line(join(gitdir, 'HEAD')),
    line(join(gitdir, 'locked')),
    line(join(gitdir, 'commondir')),
    there(join(gitdir, 'index')),
    there(join(gitdir, 'index.lock')),
  ])
  if (shared !== undefined && shared !== '' && resolve(gitdir, shared) !== common) return undefined
  return {
    gitdir,
    tree: link === undefined || basename(link) !== '.git' ? undefined : dirname(resolve(gitdir, link)),
    head: head ?? '',
    locked,
    indexed: index !== undefined && index.size > 0,
    busy: lock !== undefined,
  }
}

/** Also those that git is just writing, or was when it was killed. */
export const readEntries = async (common: string): Promise<Entry[]> => {
  const ids = await readdir(join(common, 'worktrees')).catch(() => [])
  const entries = await Promise.all(ids.map((id) => readEntry(common, id)))
  return entries.filter((entry) => entry !== undefined)
}

export const entryAt = async (common: string, path: string): Promise<Entry | undefined> =>
  (await readEntries(common)).find(({ tree }) => tree === path)

/** Where `branch` is checked out, apart from the tree at `except`. */
export const checkedOut = async (
  common: string,
  branch: string,
  except?: string,
): Promise<string | undefined> => {
  const head = `ref: refs/heads/${branch}`
  if ((await line(join(common, 'HEAD'))) === head)
    return basename(common) === '.git' ? dirname(common) : common
  const found = (await readEntries(common)).find((entry) => entry.head === head && entry.tree !== except)
  return found === undefined ? undefined : (found.tree ?? found.gitdir)
}

const readPointer = async (path: string): Promise<Place> => {
  const kind = 'directory'
  const git = await there(join(path, '.git'))
  if (git === undefined) return { kind, git: 'none' }
  if (git.isDirectory()) return { kind, git: 'directory' }
  const [, named] = /^gitdir: (.+)$/s.exec((await line(join(path, '.git'))) ?? '') ?? []
  if (named === undefined) return { kind, git: 'garbage' }
  const gitdir = resolve(path, named)
  return { kind, git: 'file', gitdir: await realpath(gitdir).catch(() => gitdir) }
}

export const readPlace = async (path: string): Promise<Place> => {
  const found = await there(path)
  if (found === undefined) return { kind: 'absent' }
  if (found.isSymbolicLink()) return { kind: 'link' }
  if (!found.isDirectory()) return { kind: 'file' }
  return (await readdir(path)).length === 0 ? { kind: 'empty' } : readPointer(path)
}

export const groundOf = async (directory: string): Promise<'absent' | 'file' | 'directory'> => {
  const found = await stat(directory).catch(() => undefined)
  if (found === undefined) return 'absent'
  return found.isDirectory() ? 'directory' : 'file'
}
