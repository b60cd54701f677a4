// Takes tasks for a headless agent, or says why not.
import { randomUUID } from 'node:crypto'
import { milliseconds } from '../../base/duration/schema.ts'
import { fail } from '../../base/error/fail.ts'
import { environmentProblems } from '../../driver/claude/env/rules.ts'
import type { TaskRequest } from '../../task/api.ts'
import { end, isContinuable, isOpen, limitedUntil, proceed, wish } from '../../task/attempt/rules.ts'
import { digestOf, idOf } from '../../task/id.ts'
import { configOf } from '../../task/plan/rules.ts'
import { askedIn, isFinal, previewOf, queueFact, textOf } from '../../task/rules.ts'
import type { Task } from '../../task/schema.ts'
import type { Work } from '../../task/work.ts'
import { sizeOf } from '../enter.ts'
import { checkPlace, placeOf } from './place.ts'
import { roleFor } from './prepare.ts'
import type { Worker, WorkerOptions } from './worker.ts'

export type WorkOptions = Pick<
  WorkerOptions,
  'root' | 'agent' | 'file' | 'book' | 'store' | 'archive' | 'now'
> & { readonly worker: Worker; readonly past: Pick<Work, 'record' | 'debug'> }

const refuseEnv = (env: TaskRequest['env']): void => {
  const [first] = environmentProblems(env ?? {})
  if (first !== undefined) fail('validation_error', { what: `env: ${first}.` })
}

export const workOf = (options: WorkOptions): Work => {
  const { root, agent, file, book, store, archive, now, worker } = options
  let giving: { readonly task: Task; readonly stored: Promise<void> } | undefined

  const busy = (): Task | undefined => book.of(agent).find(isOpen) ?? giving?.task
  const refuseBusy = (): void => {
    const task = busy()
    if (task !== undefined)
      fail('agent_busy', { agent, why: `it works on ${task.id}`, also: { current_task: task.id } })
  }

  const refuseLimited = (): void => {
    const until = limitedUntil(book.of(agent), new Date(now()).toISOString())
    if (until !== undefined) fail('rate_limited', { agent, why: `until ${until}` })
  }

  /** Where the session is, if the agent has it. */
  const known = async (session: string): Promise<boolean> => {
    const role = await roleFor(root, file())
    const place = { root, agent, file: file(), role, session }
    await checkPlace(place)
    const { driver } = await worker.program()
    return (await sizeOf(driver.transcriptPath(configOf(root, agent), placeOf(place), session))) > 0
  }

  const check = async ({ session_id: session, credentials = [], env }: TaskRequest): Promise<void> => {
    refuseEnv(env)
    const { credentials: may } = await roleFor(root, file())
    const other = credentials.find((name) => !may.includes(name))
    if (other !== undefined)
      fail('validation_error', {
        what: `credentials: "${other}" is not among those that "${agent}" may see${may.length > 0 ? ` (${may.join(', ')})` : ''}.`,
      })
    if (typeof session === 'string' && !(await known(session)))
      fail('not_found', {
        what: `session ${session} of "${agent}"`,
        see: 'Leave `session_id` out to begin one.',
      })
  }

  const taskOf = (asked: TaskRequest, id: string, digest: string): Task => {
    const { session_id: session, timeout_seconds, model, keep_open, resumable, env, credentials } = asked
    const before = book.of(agent).find((task) => task.session === session && task.total !== undefined)
    return {
      id,
      agent,
      session: session ?? randomUUID(),
      preview: previewOf(asked.prompt),
      digest,
      at: now(),
      timeout: timeout_seconds ?? Math.ceil(milliseconds(file().claude.timeout) / 1000),
      state: 'queued',
      prompts: 1,
      asked: {
        ...(model !== undefined && { model }),
        ...(keep_open && { keepOpen: true as const }),
        ...(resumable && { resumable: true as const }),
        ...(env !== undefined && Object.keys(env).length > 0 && { env: true as const }),
        ...(credentials !== undefined && { credentials }),
      },
      // What the session has used before is not this task's.
      ...(before?.total !== undefined && { total: before.total }),
    }
  }

  const put = async (task: Task, text: string): Promise<void> => {
    // The prompt first: a task without one could not be done.
    await archive.keepPrompt(task.id, 1, text)
    await store.append([queueFact(task)])
    book.put(task)
  }

  const give: Work['give'] = async (asked) => {
    const digest = digestOf(askedIn(asked))
    const id = idOf(agent, asked.idempotency_key, now())
    const same = (): Task | undefined =>
      book.find(agent, id) ?? (giving?.task.id === id ? giving.task : undefined)
    const before = same()
    if (before === undefined) {
      refuseBusy()
      refuseLimited()
      await check(asked)
      // While that was looked at, another may have come.
      if (same() === undefined) refuseBusy()
    }
    const there = same()
    if (there !== undefined) {
      if (there.digest !== digest) fail('idempotency_conflict', { task: id })
      if (giving?.task.id === id) await giving.stored
      return book.find(agent, id) ?? there
    }
    const task = taskOf(asked, id, digest)
    giving = { task, stored: put(task, textOf(asked)) }
    try {
      await giving.stored
    } finally {
      giving = undefined
    }
    worker.take(task, asked.env)
    return task
  }

  return {
    give,
    find: worker.find,
    list: () => book.of(agent),
    cancel: async (id) => {
      const task = worker.find(id)
      if (isFinal(task)) fail('already_completed', { task: id, final_state: task.state })
      return worker.change(id, (one) => wish(one, 'cancel', now()))
    },
    proceed: async (id, { prompt, timeout_seconds }) => {
      const task = worker.find(id)
      refuseBusy()
      refuseLimited()
      if (!isContinuable(task)) fail('not_continuable', { task: id, why: 'it never began' })
      if (!(await known(task.session)))
        fail('not_continuable', { task: id, why: 'its session is not there any more' })
      await archive.keepPrompt(id, (task.prompts ?? 1) + 1, prompt)
      refuseBusy()
      return worker.change(id, (one) => proceed(one, timeout_seconds))
    },
    end: async (id) => {
      const task = worker.find(id)
      if (isOpen(task)) refuseBusy()
      if (task.state !== 'idle') fail('already_completed', { task: id, final_state: task.state })
      return worker.change(id, (one) => end(one, now()))
    },
    progress: (task) => {
      const running = worker.progress(task.id)
      if (running !== undefined) return running
      const { retryAt } = task
      if (!isOpen(task) || retryAt === undefined) return undefined
      return { turns: 0, tokens: 0, retry_at: new Date(retryAt).toISOString() }
    },
    ...options.past,
  }
}
