// What is in the way of removing a tree, with the command that gets it out of the way.
import type { Refusal, WorktreeStatus } from '../schema.ts'
import { command, quoted } from '../text/rules.ts'

export type Hindrance = {
  readonly use?: { readonly who: string; readonly repair: string } | undefined
  /** Why `git worktree lock` keeps it. */
  readonly locked?: string | undefined
  /** Where its commits could be pushed to. */
  readonly remote?: string | undefined
}

const keeping = ({ path, agent, branch }: WorktreeStatus, remote: string | undefined): string => {
  const keep = command('git', '-C', path, 'branch', `keep-${agent}`)
  if (remote === undefined) return `Keep them under another branch: \`${keep}\`.`
  const push = command('git', '-C', path, 'push', remote, `HEAD:refs/heads/${branch ?? agent}`)
  return `Push them, \`${push}\`, or keep them under another branch: \`${keep}\`.`
}

/** Why a tree cannot be removed; undefined = nothing would be lost. */
export const planRemoval = (
  status: WorktreeStatus,
  { use, locked, remote }: Hindrance,
): Refusal | undefined => {
  const { path } = status
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
    const repair = keeping(status, remote)
    return { action: 'refuse', code: 'worktree_unpushed', facts: { path, commits, repair } }
  }
  if (locked !== undefined) {
    const repair = command('git', '-C', path, 'worktree', 'unlock', path)
    const why = locked === '' ? '' : `: ${locked}`
    return { action: 'refuse', code: 'worktree_pinned', facts: { path, why, repair } }
  }
  return undefined
}
