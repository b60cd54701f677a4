// The tasks that wait for an agent: each is claimed by the first one that fits and is free. A claim is stored before
// the agent begins, and only this host has agents here: so a claim of a host that is gone is its agent's to go on with.
import { randomUUID } from 'node:crypto'
import { fail, failure } from '../base/error/fail.ts'
import type { Log } from '../base/log/open.ts'
import type { Store } from '../store/store.ts'
import type { QueueRequest } from './api.ts'
import { wish } from './attempt/rules.ts'
import { anybody, type Book } from './book.ts'
import { keepPrompt } from './history/keep.ts'
import { digestOf, idOf } from './id.ts'
import { type Candidate, claims, isHopeless, nextDue } from './queue/rules.ts'
import { askedIn, isFinal, previewOf, queueFact, textOf } from './rules.ts'
import type { Select, Task } from './schema.ts'

/** An agent that can be given what waits. */
export type Hand = Candidate & {
  /** False = it is not free any more. */
  readonly claim: (task: Task) => Promise<boolean>
  /** Whether it could go on with this conversation. */
  readonly has: (session: string) => Promise<boolean>
  /** The credentials that its tasks may see. */
  readonly credentials: () => Promise<readonly string[]>
}

export type QueueOptions = {
  readonly book: Book
  readonly store: Store
  readonly root: string
  readonly hands: () => readonly Hand[]
  readonly written: () => Promise<boolean>
  readonly now: () => number
  readonly log: Log
  readonly paused: boolean
  /** How many may wait. */
  readonly most?: number
}

export type Queue = {
  /** Resolves when it is stored. */
  give(asked: QueueRequest): Promise<Task>
  /** In the order they came. */
  waiting(): readonly Task[]
  find(id: string): Task | undefined
  /** undefined = it does not wait here any more. */
  cancel(id: string): Promise<Task | undefined>
  paused(): boolean
  pause(paused: boolean): void
  /** An agent may be free, or there are more of them. */
  look(): void
  close(): void
}

const usual = 1_000
const longest = 2 ** 30
/** Until a full queue is worth another try. */
const retryAfter = 10

const inWords = ({ agent, role, pod, labels = [] }: Select): string =>
  [
    ...(agent === undefined ? [] : [`the agent "${agent}"`]),
    ...(role === undefined ? [] : [`the role "${role}"`]),
    ...(pod === undefined ? [] : [`the pod "${pod}"`]),
    ...labels.map((label) => `the label "${label}"`),
  ].join(' and ') || 'it: there is no headless agent'

export const queueOf = (options: QueueOptions): Queue => {
  const { book, store, hands, now, log, most = usual } = options
  const giving = new Map<string, Promise<void>>()
  const claiming = new Map<string, Promise<boolean>>()
  let { paused } = options
  let timer: NodeJS.Timeout | undefined
  let [busy, again, closed] = [false, false, false]

  const waiting = (): readonly Task[] => book.open(anybody).filter((task) => task.state === 'queued')
  const find = (id: string): Task | undefined => book.near(anybody, id)

  /** Who goes on with a session is the one who has it. */
  const selectOf = async ({ select = {}, session_id: session }: QueueRequest): Promise<Select> => {
    if (typeof session !== 'string') return select
    for (const hand of hands()) if (await hand.has(session)) return { ...select, agent: hand.name }
    return fail('not_found', { what: `session ${session}`, see: 'Leave `session_id` out to begin one.' })
  }

  const check = async (asked: QueueRequest, select: Select): Promise<void> => {
    const all = hands()
    if (isHopeless(select, all)) fail('nobody_fits', { select: inWords(select) })
    const fitting = all.filter((one) => !isHopeless(select, [one]))
    const may = await Promise.all(fitting.map((one) => one.credentials()))
    const missing = (asked.credentials ?? []).find((name) => !may.some((names) => names.includes(name)))
    if (missing !== undefined)
      fail('validation_error', { what: `credentials: none of the agents that fit may see "${missing}".` })
    const count = waiting().length + giving.size
    if (count >= most) fail('queue_full', { count, retry_after: retryAfter })
  }

  const taskOf = (asked: QueueRequest, select: Select, id: string, digest: string): Task => {
    const { session_id: session, timeout_seconds: timeout, model, keep_open, resumable, credentials } = asked
    const { priority, not_before } = asked
    return {
      id,
      session: session ?? randomUUID(),
      preview: previewOf(asked.prompt),
      digest,
      at: now(),
      ...(timeout !== undefined && { timeout }),
      state: 'queued',
      select,
      ...(priority !== undefined && { priority }),
      ...(not_before !== undefined && { notBefore: Date.parse(not_before) }),
      prompts: 1,
      asked: {
        ...(model !== undefined && { model }),
        ...(keep_open && { keepOpen: true as const }),
        ...(resumable && { resumable: true as const }),
        ...(credentials !== undefined && { credentials }),
      },
    }
  }

  const put = async (task: Task, text: string): Promise<void> => {
    await keepPrompt(options.root, task.id, 1, text)
    await store.append([queueFact(task)])
    book.put(task)
  }

  const lookAt = (at: number): void => {
    clearTimeout(timer)
    timer = setTimeout(look, Math.min(Math.max(at - now(), 0), longest)).unref()
  }

  const assign = async (): Promise<void> => {
    const all = hands()
    await Promise.all(
      claims(waiting(), all, now()).map(async ({ task: id, agent }) => {
        const [task, hand] = [find(id), all.find(({ name }) => name === agent)]
        if (task === undefined || hand === undefined) return
        const claimed = hand.claim(task)
        claiming.set(
          id,
          claimed.catch(() => false),
        )
        try {
          if (await claimed) log.info(`${id} is done by ${agent}`)
        } finally {
          claiming.delete(id)
        }
      }),
    )
    const due = nextDue(waiting(), now())
    if (due !== undefined) lookAt(due)
  }

  const look = (): void => {
    if (closed || paused) return
    again = busy
    if (busy) return
    busy = true
    void assign()
      .catch((error: Error) => {
        log.error('tasks that wait could not be given yet', { reason: error.message })
        lookAt(now() + 5_000)
      })
      .then(() => {
        busy = false
        if (again) look()
      })
  }

  const give: Queue['give'] = async (asked) => {
    const digest = digestOf(JSON.stringify([askedIn(asked), asked.select, asked.priority, asked.not_before]))
    const id = idOf(anybody, asked.idempotency_key, now())
    await giving.get(id)
    const before = (await store.load(`task:${id}`))?.state as Task | undefined
    if (before !== undefined) {
      if (before.digest !== digest) fail('idempotency_conflict', { task: id })
      return before
    }
    const select = await selectOf(asked)
    await check(asked, select)
    const running = giving.get(id)
    // Of two at once under one key the second finds what the first has made.
    if (running !== undefined) return running.then(() => give(asked))
    const task = taskOf(asked, select, id, digest)
    const stored = put(task, textOf(asked))
    giving.set(id, stored)
    try {
      await stored
    } finally {
      giving.delete(id)
    }
    look()
    return task
  }

  return {
    give,
    waiting,
    find,
    cancel: async (id) => {
      await claiming.get(id)
      const task = find(id)
      if (task === undefined) return undefined
      if (isFinal(task)) fail('already_completed', { task: id, final_state: task.state })
      const after = wish(task, 'cancel', now())
      book.change(after)
      if (!(await options.written())) throw failure('not_stored', { what: id })
      return after
    },
    paused: () => paused,
    pause: (wanted) => {
      paused = wanted
      look()
    },
    look,
    close: () => {
      closed = true
      clearTimeout(timer)
    },
  }
}
