// The end of a task waits for the review of its work. What is done follows from what is stored: the end of the attempt is
// kept until its task is settled, so a host that comes later finds it and asks again.
import { fail } from '../../base/error/fail.ts'
import type { Role } from '../../role/schema.ts'
import { escalate, isStopped, type Reviewed } from '../../task/attempt/rules.ts'
import { keepPrompt } from '../../task/history/keep.ts'
import { readPrompt } from '../../task/history/read.ts'
import type { Task } from '../../task/schema.ts'
import type { WorkReview } from '../review.ts'
import type { ReviewedSession, WorkReviews } from '../reviewed.ts'
import type { Came } from './attempt.ts'

export type Where = Pick<ReviewedSession, 'directory' | 'ground'>

export type TaskReviewsOptions = {
  readonly root: string
  readonly works: WorkReviews
  readonly session: (task: Task, where: Where) => ReviewedSession
  /** The task as it is now. */
  readonly at: (task: Task) => Task
  readonly change: (id: string, rule: (task: Task) => Task) => Promise<Task>
}

export type TaskReviews = {
  /** Of the attempt in this directory. */
  of(task: Task, where: Where): WorkReview
  /** Its next attempt begins; where the one before began with the same prompt, nothing is new. */
  begins(task: Task, role: Role): Promise<void>
  /** What it came to, once that counts or is known not to; undefined = the host goes. */
  judge(task: Task, came: Came): Promise<Came | undefined>
  /** It is to be over, reviewed or not. */
  drop(): void
  /** Its task is settled. */
  done(task: Task): void
  leave(): void
}

/** A project stands before what a person wrote, and would hide its first word. */
const asWritten = ({ preview, prompts = 1 }: Task, prompt: string): string =>
  prompts === 1 && preview.startsWith('#roz') && !prompt.startsWith('#roz') ? `#roz ${prompt}` : prompt

export const taskReviewsOf = ({ root, works, session, at, change }: TaskReviewsOptions): TaskReviews => {
  let mine: { readonly directory: string; readonly review: WorkReview } | undefined
  let drop = (): void => {}
  let leave = (): void => {}

  const of: TaskReviews['of'] = (task, where) => {
    if (mine?.directory !== where.directory) {
      mine?.review.close()
      mine = { directory: where.directory, review: works.of(session(task, where)) }
    }
    return mine.review
  }

  const back = async (task: Task, feedback: string): Promise<Reviewed> => {
    await keepPrompt(root, task.id, (at(task).prompts ?? 1) + 1, feedback)
    return { kind: 'back' }
  }

  const reviewed = async (task: Task, review: WorkReview): Promise<Reviewed> => {
    for (;;) {
      const asked = at(task).review?.approval
      const said =
        asked === undefined ? await review.outcome() : { kind: 'escalated' as const, approval: asked }
      if (said.kind === 'accepted') return said
      if (said.kind === 'back') return back(task, said.feedback)
      await change(task.id, (one) => escalate(one, said.approval))
      const standing = await review.answered(said.approval)
      if (standing === 'free') return { kind: 'accepted' }
      if (standing !== 'held') return { kind: 'refused', why: standing.refused }
      // Nobody has to answer any more: it is reviewed again.
      await change(task.id, (one) => escalate(one, undefined))
    }
  }

  return {
    of,
    begins: async (task, role) => {
      const { id, attempt, review, prompts = 1 } = task
      if (attempt?.prompt === prompts || review?.prompts?.includes(prompts)) return
      await works.begins(task.session, role, async () =>
        asWritten(task, (await readPrompt(root, id, prompts)) ?? ''),
      )
    },
    judge: async (task, came) => {
      if ('lost' in came || isStopped(at(task), came.ending)) return came
      const { review } = mine ?? fail('internal', { what: `nobody listened to ${task.id}` })
      if (!(await review.isOn())) return came
      const dropped = new Promise<Reviewed>((resolve) => {
        drop = () => resolve({ kind: 'refused', why: 'It was ended before its work was accepted.' })
      })
      const left = new Promise<undefined>((resolve) => {
        leave = () => resolve(undefined)
      })
      if (at(task).wish !== undefined) drop()
      const how = await Promise.race([dropped, left, reviewed(task, review)])
      return how && { ending: { ...came.ending, reviewed: how } }
    },
    drop: () => drop(),
    done: () => {
      mine?.review.over('its task ended')
      mine = undefined
    },
    leave: () => {
      mine?.review.close()
      leave()
    },
  }
}
