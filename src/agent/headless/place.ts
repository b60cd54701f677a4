// Where a headless agent works: its own directory or work tree, or one for each session.
import { lstat, mkdir, readdir, realpath, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { fail } from '../../base/error/fail.ts'
import type { Log } from '../../base/log/open.ts'
import { layout } from '../../config/layout/rules.ts'
import type { Role } from '../../role/schema.ts'
import { isWalled } from '../../task/plan/rules.ts'
import { borrowedBy } from '../../worktree/borrow.ts'
import { createClone } from '../../worktree/clone.ts'
import { createWorktree } from '../../worktree/create.ts'
import { fetchWork } from '../../worktree/fetch.ts'
import type { AgentFile } from '../schema.ts'

const absolute = (root: string, path: string): string => resolve(root, path.replace(/^~(?=$|\/)/, homedir()))

/** Whether agency made the directory for the session alone. */
export const hasOwnPlace = (file: AgentFile, { worktree }: Role): boolean =>
  file.root_dir === undefined && !worktree.enabled

const check = async (path: string, session: string): Promise<boolean> => {
  const found = await lstat(path).catch(() => undefined)
  if (found === undefined) return false
  // Whoever made it chose where we would write, and what we would remove.
  const why = found.isSymbolicLink()
    ? `${path} is a symlink`
    : found.isDirectory()
      ? undefined
      : `${path} is no directory`
  if (why !== undefined) fail('session_unsafe', { session, why })
  return true
}

const empty = async (path: string): Promise<void> => {
  for (const name of await readdir(path))
    await rm(join(path, name), { recursive: true, force: true, maxRetries: 5 })
}

export type PlaceOptions = {
  readonly root: string
  readonly agent: string
  readonly file: AgentFile
  readonly role: Role
  /** Checked to be a UUID before it becomes part of a path. */
  readonly session: string
}

/** Where its worktree comes from. */
export const repositoryOf = (root: string, file: AgentFile, role: Role): string =>
  absolute(root, file.root_dir ?? role.root_dir)

/** Where the session would work, before anything is made. */
export const placeOf = ({ root, agent, file, role, session }: PlaceOptions): string => {
  if (role.worktree.enabled) return join(layout(root).worktrees, agent)
  if (file.root_dir !== undefined) return absolute(root, file.root_dir)
  return join(file.session_dir === undefined ? layout(root).work : absolute(root, file.session_dir), session)
}

export const checkPlace = async (options: PlaceOptions): Promise<void> => {
  if (hasOwnPlace(options.file, options.role)) await check(placeOf(options), options.session)
}

/** `fresh`: what is there is not of this session. */
export const makePlace = async (options: PlaceOptions, fresh: boolean): Promise<string> => {
  const { root, agent, file, role, session } = options
  const path = placeOf(options)
  if (role.worktree.enabled) {
    const directory = repositoryOf(root, file, role)
    // A linked worktree would leak or break within walls.
    const create = isWalled(role) ? createClone : createWorktree
    await create({ root, agent, directory, settings: role.worktree })
    return realpath(path)
  }
  if (file.root_dir === undefined) {
    const there = await check(path, session)
    if (!there) await mkdir(path, { recursive: true, mode: 0o700 })
    else if (fresh) await empty(path)
  }
  return realpath(path).catch((error: NodeJS.ErrnoException) =>
    fail('directory_missing', {
      directory: path,
      why: error.code === 'ENOENT' ? 'it does not exist' : String(error.code),
    }),
  )
}

/** What its tree is to walls: ours to arrange, or somebody's in which nothing may change that would run later. */
export const treeOf = async ({
  root,
  file,
  role,
}: PlaceOptions): Promise<{ kind: 'theirs' | 'clone' | 'work'; borrows: readonly string[] }> => {
  if (role.worktree.enabled)
    return { kind: 'clone', borrows: await borrowedBy(repositoryOf(root, file, role)) }
  return { kind: hasOwnPlace(file, role) ? 'work' : 'theirs', borrows: [] }
}

/** What was committed in a clone comes back to the repository before anybody is told that the task is done. */
export const takeWork = async ({
  root,
  agent,
  role,
  log,
}: Pick<PlaceOptions, 'root' | 'agent' | 'role'> & { readonly log: Log }): Promise<void> => {
  if (!role.worktree.enabled || !isWalled(role)) return
  const taken = await fetchWork(root, agent).catch((error: Error) => ({ notes: [error.message] }))
  for (const note of taken?.notes ?? []) log.warn('work in a clone', { agent, note })
}
