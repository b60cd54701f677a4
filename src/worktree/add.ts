// Makes a new tree in three steps: register it, check it out, copy what git does not keep.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fail } from '../base/error/fail.ts'
import { refusedBy, tellGit } from './git.ts'
import { withRepository } from './hold.ts'
import { includeFiles } from './include.ts'
import { entryAt } from './repository.ts'
import type { PlaceOf } from './rules.ts'
import type { Plan, WorktreeRecord } from './schema.ts'
import { withSkeleton } from './skeleton.ts'
import { command, isPassing, isUntouched } from './text/rules.ts'
import { takeBack } from './undo.ts'

export type New = Extract<Plan, { action: 'branch' | 'detach' }>
export type Job = {
  readonly place: PlaceOf
  readonly record: WorktreeRecord
  readonly plan: New
  readonly alive: number
}

const attempts = 40
const checkoutSeconds = 1800

/** `--no-checkout`: git would run the filters that the repository configures. The commit was verified before;
 * git gets its id, never a name that somebody chose. */
const register = async ({ place, record, plan, alive }: Job): Promise<void> => {
  const how = plan.action === 'branch' ? ['-b', plan.branch] : ['--detach']
  const add = ['worktree', 'add', '--quiet', '--no-checkout', ...how, plan.path, plan.commit]
  const asked = [`--git-dir=${record.repository}`, ...add]
  for (let attempt = 1; ; attempt++) {
    const told = await withRepository(place, record.repository, async () => {
      const answer = await tellGit(asked, { alive })
      // Git leaves the branch behind when it fails after making it.
      if (answer.code !== 0 && !isUntouched(answer.words)) await takeBack(place, record)
      return answer
    })
    if (told.code === 0) return
    if (!isPassing(record.repository, told.words) || attempt === attempts) refusedBy(asked, told)
    await sleep(10 + Math.random() * 50)
  }
}

/** The index appears, whole, once all files are there: so an index means a finished checkout. */
export const checkOut = async ({ record, plan, alive }: Job, gitdir: string): Promise<readonly string[]> => {
  const { repository: common, path: tree } = record
  const bones = { common, tree, index: join(gitdir, 'index'), head: plan.commit }
  return withSkeleton(bones, async (tell) => {
    const like = command('git', '-C', common, 'fsck')
    await tell(['read-tree', '--reset', '-u', plan.commit], { seconds: checkoutSeconds, alive, like })
    const large = await tell(['ls-files', '-z', '--', ':(attr:filter=lfs)'])
    const how = command('git', '-C', tree, 'lfs', 'pull')
    return large === ''
      ? []
      : [`Files that git-lfs keeps are pointers in ${tree}, because no filter is run there: type \`${how}\`.`]
  })
}

/** What a person should know of the new tree. */
export const addWorktree = async (job: Job): Promise<readonly string[]> => {
  const { path, repository } = job.plan
  await register(job)
  const entry = await entryAt(repository.common, path)
  if (entry === undefined)
    return fail('worktree_git_failed', {
      words: `no worktree was registered for ${path}`,
      repair: command('git', '-C', repository.common, 'worktree', 'list'),
    })
  const notes = await checkOut(job, entry.gitdir)
  return [...notes, ...(await includeFiles(repository, path))]
}
