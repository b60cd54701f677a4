// What a run that was killed left behind is completed or taken back before anything else is done.
import { rename, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { refusedBy, tellGit } from './git.ts'
import { withRepository } from './hold.ts'
import { dropRecord, readRecord, writeRecord } from './record.ts'
import { entryAt, readPlace } from './repository.ts'
import { placeOf } from './rules.ts'
import type { WorktreeRecord } from './schema.ts'
import { isPassing } from './text/rules.ts'
import { deleteBranch, undo } from './undo.ts'

const attempts = 40

/** `--force`: git would ask for the state of a tree that was examined and is out of its place already. A person's
 * `git worktree prune` may be faster; that is as good. */
const unregister = async (worktrees: string, { agent, path, repository }: WorktreeRecord): Promise<void> => {
  const asked = [`--git-dir=${repository}`, 'worktree', 'remove', '--force', path]
  const isThere = async (): Promise<boolean> => (await entryAt(repository, path)) !== undefined
  for (let attempt = 1; await isThere(); attempt++) {
    const told = await withRepository(placeOf(worktrees, agent), repository, () => tellGit(asked))
    if (told.code === 0 || !(await isThere())) return
    if (!isPassing(repository, told.words) || attempt === attempts) refusedBy(asked, told)
    await sleep(10 + Math.random() * 50)
  }
}

/** From the moment the tree was moved out of its place there is no way back, only this one on. */
export const finishRemoval = async (worktrees: string, record: WorktreeRecord): Promise<void> => {
  const { agent, repository, branch, commit } = record
  await unregister(worktrees, record)
  if (branch !== null && commit !== null) await deleteBranch(repository, branch, commit)
  await rm(placeOf(worktrees, agent).removed, { recursive: true, force: true, maxRetries: 3 })
  await dropRecord(worktrees, agent)
}

const isChecked = async ({ path, repository }: WorktreeRecord): Promise<boolean> => {
  const [entry, place] = await Promise.all([entryAt(repository, path), readPlace(path)])
  return entry?.indexed === true && place.kind === 'directory' && place.git === 'file'
}

/** A clone that was half-made is made again, one that was half-removed is gone; the repository knows of neither. */
const settleClone = async (
  worktrees: string,
  record: WorktreeRecord,
): Promise<WorktreeRecord | undefined> => {
  const { path, removed } = placeOf(worktrees, record.agent)
  await rm(removed, { recursive: true, force: true, maxRetries: 3 })
  const there = (await readPlace(path)).kind !== 'absent'
  if (record.state === 'making' && there) await rename(path, removed)
  if (record.state === 'making' || !there) {
    await rm(removed, { recursive: true, force: true, maxRetries: 3 })
    await dropRecord(worktrees, record.agent)
    return undefined
  }
  const made = { ...record, state: 'made' } as const
  if (record.state !== 'made') await writeRecord(worktrees, made)
  return made
}

/** Within the hold of the agent. The record that holds now; in `making`, only the last steps are missing. */
export const settle = async (worktrees: string, agent: string): Promise<WorktreeRecord | undefined> => {
  const record = await readRecord(worktrees, agent)
  if (record?.clone) return settleClone(worktrees, record)
  if (record?.state === 'making' && !(await isChecked(record))) {
    await undo(worktrees, placeOf(worktrees, agent), record)
    return undefined
  }
  if (record?.state !== 'removing') return record
  if ((await readPlace(record.path)).kind === 'absent') {
    await finishRemoval(worktrees, record)
    return undefined
  }
  // Killed before the tree was moved: whatever was found then may no longer be so.
  const made = { ...record, state: 'made' } as const
  await writeRecord(worktrees, made)
  return made
}
