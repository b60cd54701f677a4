// What every agent that takes tasks can be asked, whatever it does with them.
import type { BodyOf } from '../base/contract/schema.ts'
import type { TaskDebug, TaskRequest, TaskView, tasks } from './api.ts'
import type { Asked } from './order.ts'
import type { Task } from './schema.ts'

export type Work = {
  /** Resolves when it is stored. */
  give(asked: TaskRequest): Promise<Task>
  /** Resolves when the wish is stored, with what has become of it so far. */
  cancel(id: string): Promise<Task>
  proceed(id: string, asked: BodyOf<typeof tasks.proceed>): Promise<Task>
  /** Of one that was kept open. */
  end(id: string): Promise<Task>
  find(id: string): Promise<Task>
  /** Those that are not over, newest first. */
  open(): readonly Task[]
  /** Newest first. */
  page(asked: Asked): Promise<{ readonly tasks: readonly Task[]; readonly total: number }>
  progress(task: Task): TaskView['progress'] | undefined
  /** Its prompts, as far as they are kept, and what it did. */
  record(id: string): Promise<{ readonly prompts: readonly string[]; readonly log: readonly string[] }>
  debug(id: string): Promise<TaskDebug['attempts']>
}
