// What is in the way of removing a tree, with the command that gets it out of the way.
import type { Refusal, WorktreeStatus } from '../schema.ts'
import { command, quoted } from '../text/rules.ts'

/** Why a tree cannot be removed; undefined = nothing would be lost. */
export const planRemoval = (
  status: WorktreeStatus,
  use: { readonly who: string; readonly repair: string } | undefined,
  locked: string | undefined,
): Refusal | undefined => {
  const { path, agent } = status
  if (use !== undefined) return { action: 'refuse', code: 'worktree_live', facts: { path, ...use } }
  if (status.state === 'broken') {
    const repair = status.repair ?? command('git', '-C', path, 'status')
    return {
      action: 'refuse',
      code: 'worktree_unreadable',
      facts: { path, why: status.why ?? 'git does not say', repair },
    }
  }
  if (status.state === 'dirty') {
    const more = status.changes - status.dirty.length
    const what = `${status.dirty.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
    const repair = command('git', '-C', path, 'stash', 'push', '--include-untracked')
    return {
      action: 'refuse',
      code: 'worktree_dirty',
      facts: { path, what, repair, quoted: quoted(path) },
    }
  }
  if (status.state === 'unpushed') {
    const commits = status.unpushed === 1 ? '1 commit' : `${status.unpushed} commits`
    const repair = command('git', '-C', path, 'push', 'origin', `HEAD:refs/heads/${status.branch ?? agent}`)
    const keep = command('git', '-C', path, 'branch', `keep-${agent}`)
    return { action: 'refuse', code: 'worktree_unpushed', facts: { path, commits, repair, keep } }
  }
  if (locked !== undefined) {
    const repair = command('git', '-C', path, 'worktree', 'unlock', path)
    const why = locked === '' ? '' : `: ${locked}`
    return { action: 'refuse', code: 'worktree_pinned', facts: { path, why, repair } }
  }
  return undefined
}
