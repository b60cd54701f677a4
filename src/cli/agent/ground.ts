// Where an agent would work, looked at before anything is made.
import { stat } from 'node:fs/promises'
import { fail } from '../../base/error/fail.ts'
import type { Role } from '../../role/schema.ts'
import { foreseeWorktree } from '../../worktree/foresee.ts'

export type Ground = {
  readonly root: string
  readonly agent: string
  readonly directory: string
  /** Absent for a command without a role. */
  readonly role?: Role | undefined
}

/** Fails as the launch would. */
export const checkGround = async ({ root, agent, directory, role }: Ground): Promise<void> => {
  if (role?.worktree.enabled) return foreseeWorktree({ root, agent, directory, settings: role.worktree })
  const found = await stat(directory).catch(() => undefined)
  const why = found === undefined ? 'it does not exist' : 'it is no directory'
  if (!found?.isDirectory()) fail('directory_missing', { directory, why })
}
