// Takes tasks for a headless agent, or says why not.
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { milliseconds } from '../../base/duration/schema.ts'
import { fail } from '../../base/error/fail.ts'
import { type Mask, maskOf } from '../../base/secret/rules.ts'
import { environmentProblems } from '../../driver/claude/env/rules.ts'
import type { Role } from '../../role/schema.ts'
import type { Environment } from '../../session/plan/schema.ts'
import { credentialsOf } from '../../session/prepare.ts'
import type { TaskRequest } from '../../task/api.ts'
import { end, isContinuable, isOpen, limitedUntil, proceed, wish } from '../../task/attempt/rules.ts'
import { keepPrompt } from '../../task/history/keep.ts'
import { readDebug, readLog, readPrompts } from '../../task/history/read.ts'
import { digestOf, idOf } from '../../task/id.ts'
import { configOf } from '../../task/plan/rules.ts'
import { askedIn, changeFact, isFinal, previewOf, queueFact, textOf } from '../../task/rules.ts'
import type { Task } from '../../task/schema.ts'
import type { Work } from '../../task/work.ts'
import { sizeOf } from '../enter.ts'
import { checkPlace, placeOf } from './place.ts'
import { roleFor } from './prepare.ts'
import type { Worker, WorkerOptions } from './worker.ts'

export type WorkOptions = Pick<WorkerOptions, 'root' | 'agent' | 'file' | 'book' | 'store' | 'now'> & {
  readonly worker: Worker
}

/** Bytes of what was printed that are shown at once. */
const debugLimit = 256 * 1024

const refuseEnv = (env: TaskRequest['env']): void => {
  const [first] = environmentProblems(env ?? {})
  if (first !== undefined) fail('validation_error', { what: `env: ${first}.` })
}

/** What the queue asks of it besides. */
export type Claiming = {
  /** Takes what waited for an agent; false = it is not free. */
  claim(task: Task): Promise<boolean>
  has(session: string): Promise<boolean>
  credentials(): Promise<readonly string[]>
}

export const workOf = (options: WorkOptions): Work & Claiming => {
  const { root, agent, file, book, store, now, worker } = options
  let giving: { readonly task: Task; readonly stored: Promise<void> } | undefined

  const busy = (): Task | undefined => book.open(agent).find(isOpen) ?? giving?.task
  const refuseBusy = (): void => {
    const task = busy()
    if (task !== undefined)
      fail('agent_busy', { agent, why: `it works on ${task.id}`, also: { current_task: task.id } })
  }

  const refuseLimited = (): void => {
    const until = limitedUntil(book.latest(agent), new Date(now()).toISOString())
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

  const check = async ({ session_id: session, credentials = [], env }: TaskRequest): Promise<Role> => {
    refuseEnv(env)
    const role = await roleFor(root, file())
    const { credentials: may } = role
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
    return role
  }

  let last: { readonly secrets: readonly string[]; readonly mask: Mask } | undefined
  /** What is kept of a task must not hold them. Made anew only for others: it takes longer than all the rest. */
  const maskFor = async (role: Role, env: Environment): Promise<Mask> => {
    // One that cannot be read is told by the attempt that needs it.
    const stored = await credentialsOf(root, role).catch(() => ({}))
    const secrets = [...Object.values(env), ...Object.values(stored)]
    if (last === undefined || !isDeepStrictEqual(last.secrets, secrets))
      last = { secrets, mask: maskOf(secrets) }
    return last.mask
  }

  /** What the session has used before is not the next task's. */
  const totalOf = async (session: string): Promise<Task['total']> => {
    const { tasks } = await book.page(agent, { limit: 100, page: 1 })
    return tasks.find((task) => task.session === session && task.total !== undefined)?.total
  }

  const timeout = (): number => Math.ceil(milliseconds(file().claude.timeout) / 1000)

  const taskOf = (asked: TaskRequest, id: string, digest: string, total: Task['total']): Task => {
    const { session_id: session, timeout_seconds, model, keep_open, resumable, env, credentials } = asked
    return {
      id,
      agent,
      session: session ?? randomUUID(),
      preview: previewOf(asked.prompt),
      digest,
      at: now(),
      timeout: timeout_seconds ?? timeout(),
      state: 'queued',
      prompts: 1,
      asked: {
        ...(model !== undefined && { model }),
        ...(keep_open && { keepOpen: true as const }),
        ...(resumable && { resumable: true as const }),
        ...(env !== undefined && Object.keys(env).length > 0 && { env: true as const }),
        ...(credentials !== undefined && { credentials }),
      },
      ...(total !== undefined && { total }),
    }
  }

  const put = async (task: Task, text: string): Promise<void> => {
    // The prompt first: a task without one could not be done.
    await keepPrompt(root, task.id, 1, text)
    await store.append([queueFact(task)])
    book.put(task)
  }

  /** Until it is stored, nobody else gets the agent. */
  const occupied = async (task: Task, storing: () => Promise<void>): Promise<void> => {
    const stored = storing()
    giving = { task, stored }
    try {
      await stored
    } finally {
      giving = undefined
    }
  }

  const near = (id: string): Task | undefined => (giving?.task.id === id ? giving.task : book.near(agent, id))

  const same = async (task: Task, digest: string): Promise<Task> => {
    if (task.digest !== digest) fail('idempotency_conflict', { task: task.id })
    if (giving?.task.id === task.id) await giving.stored
    return book.near(agent, task.id) ?? task
  }

  const give: Work['give'] = async (given) => {
    const digest = digestOf(askedIn(given))
    const id = idOf(agent, given.idempotency_key, now())
    const before = near(id) ?? (await book.find(agent, id))
    if (before !== undefined) return same(before, digest)
    refuseBusy()
    refuseLimited()
    const role = await check(given)
    const { session_id: session, env = {} } = given
    const total = typeof session === 'string' ? await totalOf(session) : undefined
    const mask = await maskFor(role, env)
    // While that was looked at, another may have come.
    const meanwhile = near(id)
    if (meanwhile !== undefined) return same(meanwhile, digest)
    refuseBusy()
    const made = taskOf({ ...given, prompt: mask(given.prompt) }, id, digest, total)
    const text = textOf(given)
    const kept = mask(text)
    // Another host could not do it: it would not know what it was told.
    const task = kept === text ? made : { ...made, asked: { ...made.asked, env: true as const } }
    await occupied(task, () => put(task, kept))
    worker.take(task, { env, prompt: text, role })
    return task
  }

  const claim: Claiming['claim'] = async (waiting) => {
    // Who goes on with a session is named; any other session is a new one.
    const total = waiting.select?.agent === undefined ? undefined : await totalOf(waiting.session)
    if (busy() !== undefined) return false
    const task: Task = {
      ...waiting,
      agent,
      timeout: waiting.timeout ?? timeout(),
      ...(total !== undefined && { total }),
    }
    await occupied(task, async () => {
      await store.append([changeFact(task)])
      book.put(task)
    })
    worker.take(task)
    return true
  }

  return {
    give,
    claim,
    has: known,
    credentials: async () => (await roleFor(root, file())).credentials,
    find: worker.find,
    open: () => book.open(agent),
    page: (asked) => book.page(agent, asked),
    cancel: async (id) => {
      const task = await worker.find(id)
      if (isFinal(task)) fail('already_completed', { task: id, final_state: task.state })
      return worker.change(id, (one) => wish(one, 'cancel', now()))
    },
    proceed: async (id, { prompt, timeout_seconds }) => {
      const task = await worker.find(id)
      refuseBusy()
      refuseLimited()
      if (!isContinuable(task)) fail('not_continuable', { task: id, why: 'it never began' })
      if (!(await known(task.session)))
        fail('not_continuable', { task: id, why: 'its session is not there any more' })
      await keepPrompt(root, id, (task.prompts ?? 1) + 1, prompt)
      refuseBusy()
      return worker.change(id, (one) => proceed(one, timeout_seconds))
    },
    end: async (id) => {
      const task = await worker.find(id)
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
    record: async (id) => {
      await worker.find(id)
      const { driver } = await worker.program()
      const [prompts, log] = await Promise.all([
        readPrompts(root, id),
        readLog(root, id, driver, worker.running(id)),
      ])
      return { prompts, log }
    },
    debug: async (id) => {
      await worker.find(id)
      return (await readDebug(root, id, debugLimit, worker.running(id))).attempts
    },
  }
}
