// The answers about the tasks of an agent.
import { fail } from '../../base/error/fail.ts'
import { tasks as api, idempotencyKey, type TaskRequest } from '../../task/api.ts'
import { summaryOf, viewOf } from '../../task/rules.ts'
import type { Work } from '../../task/work.ts'
import { type Route, route } from '../http/route.ts'

/** The longest prompt, each character escaped, and the rest. */
const limit = 2 * 1024 * 1024
const pageLength = 20

const iso = (at: number): string => new Date(at).toISOString()

/** By header or in the body; not two of them. */
export const keyOf = (
  header: string | string[] | undefined,
  given: string | undefined,
): string | undefined => {
  if (header === undefined) return given
  const { data: key } = idempotencyKey.safeParse(header)
  if (key === undefined)
    return fail('validation_error', { what: 'Idempotency-Key must have 1 to 200 characters.' })
  if (given !== undefined && given !== key)
    fail('validation_error', { what: 'idempotency_key is not the same as the header Idempotency-Key.' })
  return key
}

/** `check` fails where the one that asks may not give this agent anything. */
export const taskRoutes = (
  tasks: Work,
  now: () => number,
  check: (asked: Pick<TaskRequest, 'by' | 'model' | 'env'>) => Promise<void>,
): readonly Route[] => [
  route(
    api.give,
    async ({ body, headers }) => {
      await check(body)
      const key = keyOf(headers['idempotency-key'], body.idempotency_key)
      const task = await tasks.give({ ...body, ...(key !== undefined && { idempotency_key: key }) })
      return { task_id: task.id, session_id: task.session, status: task.state }
    },
    { work: true, limit },
  ),
  route(api.show, async ({ params }) => {
    const task = await tasks.find(params.id)
    return viewOf(task, { now: now(), iso }, tasks.progress(task))
  }),
  route(api.cancel, async ({ params }) => {
    const { id, state } = await tasks.cancel(params.id)
    return { task_id: id, state, message: 'Task cancellation initiated' }
  }),
  route(
    api.proceed,
    async ({ params, body }) => {
      await check(body)
      const { id, state, session } = await tasks.proceed(params.id, body)
      return { task_id: id, state, session_id: session }
    },
    { work: true, limit },
  ),
  route(api.end, async ({ params }) => {
    const { id, state, output = null } = await tasks.end(params.id)
    return { task_id: id, state, output }
  }),
  route(api.debug, async ({ params }) => {
    const { id } = await tasks.find(params.id)
    return { task_id: id, attempts: [...(await tasks.debug(id))] }
  }),
  route(api.list, () => ({
    tasks: tasks.open().map((task) => summaryOf(task, { now: now(), iso })),
  })),
  route(api.past, async ({ params }) => {
    const task = await tasks.find(params.id)
    const { prompts, log } = await tasks.record(params.id)
    const clock = { now: now(), iso }
    const { prompt_preview, queued_at } = summaryOf(task, clock)
    return {
      ...viewOf(task, clock, tasks.progress(task)),
      prompt_preview,
      queued_at,
      prompts: [...prompts],
      log: [...log],
    }
  }),
  route(api.history, async ({ query }) => {
    const [size, page] = [Number(query.limit ?? pageLength), Number(query.page ?? 1)]
    const found = await tasks.page({ limit: size, page, before: query.before })
    const at = { now: now(), iso }
    return { tasks: found.tasks.map((task) => summaryOf(task, at)), page, limit: size, total: found.total }
  }),
]
