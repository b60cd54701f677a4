// Takes back what was half-made: after a failure at once, after a kill on the next run.
import { rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { tellGit } from './git.ts'
import { withRepository } from './hold.ts'
import { dropRecord } from './record.ts'
import { readEntries, readPlace } from './repository.ts'
import { commonOf, type PlaceOf } from './rules.ts'
import type { Entry, WorktreeRecord } from './schema.ts'

/** Of this tree; or one that git was killed over before it wrote whose it is. Git skips those it cannot read,
 * or dies of them, and prunes none. */
const isOurs =
  ({ agent, path }: WorktreeRecord) =>
  ({ gitdir, tree, locked }: Entry): boolean =>
    tree === path ||
    (tree === undefined &&
      locked?.startsWith('initializing') === true &&
      new RegExp(`^${agent}\\d*$`).test(basename(gitdir)))

const deleteEntry = async (gitdir: string): Promise<void> => {
  // First what makes git look into the rest.
  await rm(join(gitdir, 'gitdir'), { force: true })
  await rm(gitdir, { recursive: true, force: true })
}

/** Only if it still stands where we put it. Whether it is there at all is not asked first: git says so. */
export const deleteBranch = async (common: string, branch: string, commit: string): Promise<boolean> =>
  (await tellGit([`--git-dir=${common}`, 'update-ref', '-d', `refs/heads/${branch}`, commit])).code === 0

/** What stands at the place is what git, started by us, put there. */
const isHalfMade = async ({ path, repository }: WorktreeRecord): Promise<boolean> => {
  const place = await readPlace(path)
  if (place.kind === 'empty') return true
  if (place.kind !== 'directory') return false
  return place.git === 'file' && commonOf(place.gitdir) === repository
}

/** Within the hold of the repository. Can itself be interrupted and done again: the tree leaves its place whole,
 * because half a tree would look like one that somebody else put there. */
export const takeBack = async ({ removed }: PlaceOf, record: WorktreeRecord): Promise<void> => {
  const { path, repository } = record
  await rm(removed, { recursive: true, force: true, maxRetries: 3 })
  if (await isHalfMade(record)) await rename(path, removed)
  await rm(removed, { recursive: true, force: true, maxRetries: 3 })
  for (const { gitdir } of (await readEntries(repository)).filter(isOurs(record))) await deleteEntry(gitdir)
  if (record.branch === null || record.commit === null) return
  // Left by a git that was killed; none of ours is alive now.
  await rm(join(repository, `refs/heads/${record.branch}.lock`), { force: true })
  await deleteBranch(repository, record.branch, record.commit)
}

export const undo = async (worktrees: string, place: PlaceOf, record: WorktreeRecord): Promise<void> => {
  await withRepository(place, record.repository, () => takeBack(place, record))
  await dropRecord(worktrees, record.agent)
}
