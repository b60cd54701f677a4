// Gives an agent its tree: a new one, or the one it had. Killed at any step, the next run completes or redoes.
import { mkdir, realpath } from 'node:fs/promises'
import { AgencyError } from '../base/error/fail.ts'
import { name } from '../base/name/schema.ts'
import { addWorktree, type New } from './add.ts'
import { withAgent } from './hold.ts'
import { includeFiles } from './include.ts'
import { lookAround } from './look.ts'
import { dropRecord, writeRecord } from './record.ts'
import { settle } from './recover.ts'
import { refusalOf } from './refuse.ts'
import { branchOf, placeOf, planWorktree, worktreesOf } from './rules.ts'
import type { Plan, Settings, WorktreeRecord } from './schema.ts'
import { isUntouched } from './text/rules.ts'
import { undo } from './undo.ts'

export type Wanted = {
  readonly root: string
  readonly agent: string
  /** In the repository. */
  readonly directory: string
  readonly settings: Settings
}
type Old = Extract<Plan, { action: 'reuse' }>
export type Made = {
  readonly path: string
  readonly repository: string
  readonly branch: string | null
  readonly reused: boolean
  /** What a person should know: files that were not copied, or not converted. */
  readonly notes: readonly string[]
}

const makeNew = async (worktrees: string, agent: string, plan: New, alive: number): Promise<Made> => {
  const { path, commit, repository } = plan
  const branch = plan.action === 'branch' ? plan.branch : null
  const place = placeOf(worktrees, agent)
  const making = { agent, state: 'making', path, repository: repository.common, branch, commit } as const
  await writeRecord(worktrees, making)
  try {
    const notes = await addWorktree({ place, record: making, plan, alive })
    await writeRecord(worktrees, { ...making, state: 'made' })
    return { path, repository: repository.common, branch, reused: false, notes }
  } catch (error) {
    // If that fails too, the first failure is the one to tell; the record stays, and the next run takes it back.
    const untouched = error instanceof AgencyError && isUntouched(`${error.details.words}`)
    await (untouched ? dropRecord(worktrees, agent) : undo(worktrees, place, making)).catch(() => undefined)
    throw error
  }
}

const reuse = async (worktrees: string, agent: string, plan: Old, record?: WorktreeRecord): Promise<Made> => {
  const { path, repository, entry } = plan
  const notes = record?.state === 'making' ? await includeFiles(repository, path) : []
  // A tree that somebody else made for the agent is taken over; its branch is not ours to delete.
  const found = { agent, path, repository: repository.common, branch: null, commit: null }
  if (record?.state !== 'made') await writeRecord(worktrees, { ...found, ...record, state: 'made' })
  return { path, repository: repository.common, branch: branchOf(entry), reused: true, notes }
}

export const createWorktree = async ({ root, agent: asked, directory, settings }: Wanted): Promise<Made> => {
  const agent = name.parse(asked)
  await mkdir(worktreesOf(root), { recursive: true })
  // Git registers real paths.
  const worktrees = await realpath(worktreesOf(root))
  const place = placeOf(worktrees, agent)
  return withAgent(place, agent, async (alive) => {
    const record = await settle(worktrees, agent)
    const found = await lookAround({ agent, path: place.path, directory, settings })
    const plan = planWorktree(found, settings)
    if (plan.action === 'refuse') throw refusalOf(plan)
    return plan.action === 'reuse'
      ? reuse(worktrees, agent, plan, record)
      : makeNew(worktrees, agent, plan, alive)
  })
}
