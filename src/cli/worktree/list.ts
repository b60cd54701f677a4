import { findRoot } from '../../config/root/find.ts'
import { listWorktrees } from '../../worktree/list.ts'
import type { Handler } from '../io.ts'
import { table } from '../output/rules.ts'
import { where } from '../root/where.ts'
import { rowsOf } from './rules.ts'

export const run: Handler = async ({ io, progress }) => {
  const { directory: root } = await findRoot(where(io))
  progress('Looking at the worktrees ...')
  const worktrees = await listWorktrees(root)
  const lines = worktrees.length === 0 ? ['No agent has a worktree.'] : table(rowsOf(worktrees))
  return { data: { root, worktrees }, lines }
}
