// The answers about tasks of the whole root.
import { fail } from '../../base/error/fail.ts'
import { queue as api } from '../../task/api.ts'
import type { Queue } from '../../task/queue.ts'
import { summaryOf, viewOf } from '../../task/rules.ts'
import type { Task } from '../../task/schema.ts'
import type { Work } from '../../task/work.ts'
import { type Route, route } from '../http/route.ts'

export type QueueRoutes = {
  /** Undefined until the agents are known. */
  readonly queue: () => Queue
  /** Of every agent, whatever kind it is. */
  readonly open: () => readonly Task[]
  /** Which agent has it. */
  readonly ownerOf: (
    id: string,
  ) => Promise<{ readonly task: Task; readonly work?: Work | undefined } | undefined>
  readonly paused: (paused: boolean) => void
  readonly now: () => number
}

const limit = 2 * 1024 * 1024
const iso = (at: number): string => new Date(at).toISOString()

const missing = (id: string): never => fail('not_found', { what: `task "${id}"`, see: 'Ask for /tasks.' })

export const queueRoutes = ({ queue, open, ownerOf, paused, now }: QueueRoutes): readonly Route[] => {
  const clock = () => ({ now: now(), iso })
  const entryOf = (task: Task) => ({
    ...summaryOf(task, clock()),
    agent: task.agent ?? null,
    priority: task.priority ?? 0,
    select: task.select ?? {},
  })
  const cancelled = async (id: string): Promise<Task> => {
    const { task, work } = (await ownerOf(id)) ?? missing(id)
    // Of one that never had an agent, or whose agent is not there any more.
    return work?.cancel(id) ?? fail('already_completed', { task: id, final_state: task.state })
  }
  return [
    route(
      api.give,
      async ({ body }) => {
        const { id, state } = await queue().give(body)
        return { task_id: id, status: state }
      },
      { work: true, limit },
    ),
    route(api.list, () => ({
      paused: queue().paused(),
      tasks: [...open(), ...queue().waiting()].map(entryOf),
    })),
    route(api.show, async ({ params }) => {
      const { task, work } = (await ownerOf(params.id)) ?? missing(params.id)
      return { ...viewOf(task, clock(), work?.progress(task)), agent: task.agent ?? null }
    }),
    route(api.cancel, async ({ params }) => {
      const waited = await queue().cancel(params.id)
      const { id, state } = waited ?? (await cancelled(params.id))
      return { task_id: id, state, message: 'Task cancellation initiated' }
    }),
    route(api.pause, ({ body }) => {
      queue().pause(body.paused)
      paused(body.paused)
      return { paused: body.paused }
    }),
  ]
}
