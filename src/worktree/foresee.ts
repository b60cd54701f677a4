// What a launch would find, without making anything.
import { realpath } from 'node:fs/promises'
import type { Wanted } from './create.ts'
import { lookAround } from './look.ts'
import { readRecord } from './record.ts'
import { refusalOf } from './refuse.ts'
import { placeOf, planWorktree, worktreesOf } from './rules.ts'

/** Fails as the launch would. A tree that a killed run left half-made, or a clone, is not judged: the launch does that. */
export const foreseeWorktree = async ({ root, agent, directory, settings }: Wanted): Promise<void> => {
  const worktrees = await realpath(worktreesOf(root)).catch(() => worktreesOf(root))
  const record = await readRecord(worktrees, agent)
  if (record !== undefined && (record.state !== 'made' || record.clone)) return
  const { path } = placeOf(worktrees, agent)
  const plan = planWorktree(await lookAround({ agent, path, directory, settings }), settings)
  if (plan.action === 'refuse') throw refusalOf(plan)
}
