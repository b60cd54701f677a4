// What an attempt is listened to with: whoever is asked, whoever counts, and whoever reviews.
import type { Meter } from '../../budget/meter.ts'
import { configOf } from '../../task/plan/rules.ts'
import type { Task } from '../../task/schema.ts'
import type { ReviewedSession } from '../reviewed.ts'
import type { WorkerOptions } from './around.ts'
import type { AttemptOptions } from './attempt.ts'
import { roleFor } from './prepare.ts'
import type { questionsOf } from './question.ts'
import type { TaskReviews, Where } from './review.ts'

export type ListenerOptions = {
  readonly questions: Questions
  readonly works: Pick<TaskReviews, 'of'>
  readonly moved: (task: string) => void
}

type Questions = ReturnType<typeof questionsOf>

/** What is to be reviewed of a task. */
export const reviewedOf =
  ({ root, agent, file }: WorkerOptions, questions: Questions) =>
  (task: Task, where: Where): ReviewedSession => ({
    agent,
    role: file().role ?? 'actor',
    pod: file().pod,
    subject: task.session,
    roleNow: () => roleFor(root, file()),
    // What it is to do is told when it begins: a hook could say anything.
    spoken: ({ text }) => ({ text, person: false }),
    patience: questions.patience,
    what: () => task.id,
    begun: false,
    moved: () => {},
    reviewing: questions.inspecting,
    ...where,
  })

type Place = Pick<AttemptOptions, 'directory' | 'tree' | 'driver' | 'told'>

const reportMs = 60_000

export const listenerOf = (options: WorkerOptions, { questions, works, moved }: ListenerOptions) => {
  const { root, agent, store, now, log, record, written, approvals } = options
  return (task: Task, meter: Meter, where: Place): AttemptOptions => {
    const { directory, tree } = where
    const role = () => roleFor(root, options.file())
    return {
      ...where,
      agent,
      root,
      named: { role: options.file().role ?? 'actor', pod: options.file().pod },
      role,
      session: task.session,
      reportMs: options.reportMs ?? reportMs,
      now,
      record,
      append: (facts) => store.append(facts),
      written,
      approvals,
      patience: questions.patience,
      review: options.reviewers.of({
        subject: task.session,
        kin: options.file().role ?? agent,
        directory,
        role,
        thinking: questions.thinking,
      }),
      work: works.of(task, {
        directory,
        ground: { root, tree, session: directory, config: configOf(root, agent) },
      }),
      meter,
      log,
      moved: () => moved(task.id),
      reuse: (keeper) => options.spares().reuse(keeper),
    }
  }
}
