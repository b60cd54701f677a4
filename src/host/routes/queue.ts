// The answers about tasks of the whole root.
import { fail } from '../../base/error/fail.ts'
import { queue as api } from '../../task/api.ts'
import type { Queue } from '../../task/queue.ts'
import { summaryOf, viewOf } from '../../task/rules.ts'
import type { Task } from '../../task/schema.ts'
import type { Work } from '../../task/work.ts'
import type { Delegation } from '../delegation.ts'
import { type Route, route } from '../http/route.ts'
import { keyOf } from './tasks.ts'

export type QueueRoutes = {
  /** Undefined until the agents are known. */
  readonly queue: () => Queue
  /** Of every agent, whatever kind it is. */
  readonly open: () => readonly Task[]
  /** Which agent has it. */
  readonly ownerOf: (
    id: string,
  ) => Promise<{ readonly task: Task; readonly work?: Work | undefined } | undefined>
  /** Resolves when it is stored. */
  readonly pause: (wanted: boolean) => Promise<void>
  readonly delegation: Delegation
  readonly now: () => number
}

const limit = 2 * 1024 * 1024
const iso = (at: number): string => new Date(at).toISOString()

const missing = (id: string): never => fail('not_found', { what: `task "${id}"`, see: 'Ask for /tasks.' })

export const queueRoutes = (options: QueueRoutes): readonly Route[] => {
  const { queue, open, ownerOf, pause, delegation, now } = options
  const clock = () => ({ now: now(), iso })
  const waitsOf = (task: Task) => {
    const waits = queue().why(task)
    return waits === undefined ? {} : { waits }
  }
  const pausedOf = () => {
    const since = queue().paused()
    return { paused: since !== undefined, paused_since: since === undefined ? null : iso(since) }
  }
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
      async ({ body, headers }) => {
        const by = await delegation.giver(body)
        const key = keyOf(headers['idempotency-key'], body.idempotency_key)
        const task = await queue().give({ ...body, ...(key !== undefined && { idempotency_key: key }) }, by)
        return { task_id: task.id, status: task.state, ...waitsOf(task) }
      },
      { work: true, limit },
    ),
    route(api.list, () => ({
      ...pausedOf(),
      tasks: [...open(), ...queue().waiting()].map(entryOf),
    })),
    route(api.show, async ({ params }) => {
      const { task, work } = (await ownerOf(params.id)) ?? missing(params.id)
      return { ...viewOf(task, clock(), work?.progress(task)), agent: task.agent ?? null, ...waitsOf(task) }
    }),
    route(api.cancel, async ({ params }) => {
      const waited = await queue().cancel(params.id)
      const { id, state } = waited ?? (await cancelled(params.id))
      return { task_id: id, state, message: 'Task cancellation initiated' }
    }),
    route(api.pause, async ({ body }) => {
      await pause(body.paused)
      return pausedOf()
    }),
  ]
}
