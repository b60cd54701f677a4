// The tasks that wait for an agent: each is claimed by the first one that fits and is free. A claim is stored before
// the agent begins, and only this host has agents here: so a claim of a host that is gone is its agent's to go on with.
import { randomUUID } from 'node:crypto'
import { fail, failure } from '../base/error/fail.ts'
import type { Log } from '../base/log/open.ts'
import { longestText } from '../message/schema.ts'
import type { Store } from '../store/store.ts'
import type { QueueRequest } from './api.ts'
import { wish } from './attempt/rules.ts'
import { anybody, type Book } from './book.ts'
import { keepPrompt } from './history/keep.ts'
import { digestOf, idOf } from './id.ts'
import {
  type Candidate,
  claims,
  fits,
  inOrder,
  nextDue,
  type Obstacle,
  obstacleOf,
  whyWaiting,
} from './queue/rules.ts'
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
  /** Since when, if a person said so to a host before. */
  readonly paused: number | undefined
  /** How many may wait. */
  readonly most?: number
}

export type Queue = {
  /** Resolves when it is stored. */
  give(asked: QueueRequest, by?: Task['by']): Promise<Task>
  /** In the order in which they are begun. */
  waiting(): readonly Task[]
  /** Undefined = it does not wait, or is about to be begun. */
  why(task: Task): string | undefined
  find(id: string): Task | undefined
  /** undefined = it does not wait here any more. */
  cancel(id: string): Promise<Task | undefined>
  /** Since when. */
  paused(): number | undefined
  pause(wanted: boolean): void
  /** An agent may be free, or there are more of them. */
  look(): void
  close(): void
}

const usual = 1_000
const longest = 2 ** 30
/** Until a full queue is worth another try. */
const retryAfter = 10

export const queueOf = (options: QueueOptions): Queue => {
  const { book, store, hands, now, log, most = usual } = options
  const giving = new Map<string, Promise<void>>()
  const claiming = new Map<string, Promise<boolean>>()
  let { paused } = options
  let timer: NodeJS.Timeout | undefined
  let [busy, again, closed] = [false, false, false]

  const waiting = (): readonly Task[] =>
    book
      .open(anybody)
      .filter((task) => task.state === 'queued')
      .toSorted(inOrder)
  const find = (id: string): Task | undefined => book.near(anybody, id)

  /** Who goes on with a session is the one who has it. */
  const selectOf = async ({ select = {}, session_id: session }: QueueRequest): Promise<Select> => {
    if (typeof session !== 'string') return select
    for (const hand of hands()) if (await hand.has(session)) return { ...select, agent: hand.name }
    return fail('not_found', { what: `session ${session}`, see: 'Leave `session_id` out to begin one.' })
  }

  const check = async (asked: QueueRequest, task: Task): Promise<void> => {
    const all = hands()
    const obstacle = obstacleOf(task, all)
    if (obstacle !== undefined) refuse(task, obstacle, all)
    if (textOf(asked).length > longestText)
      fail('validation_error', {
        what: `prompt and project.prompt must have at most ${longestText} characters together.`,
      })
    const fitting = all.filter((one) => fits(task, one))
    const may = await Promise.all(fitting.map((one) => one.credentials()))
    const missing = (asked.credentials ?? []).find((name) => !may.some((names) => names.includes(name)))
    if (missing !== undefined)
      fail('validation_error', { what: `credentials: none of the agents that fit may see "${missing}".` })
    const count = waiting().length + giving.size
    if (count >= most) fail('queue_full', { count, retry_after: retryAfter })
  }

  const refuse = ({ by, ...task }: Task, obstacle: Obstacle, all: readonly Hand[]): never => {
    const forbidden = by !== undefined && obstacleOf(task, all) === undefined
    return forbidden
      ? fail('task_not_delegated', {
          agent: by.agent,
          why: `its role may delegate to ${by.roles.join(', ')}, and no agent that fits has such a role`,
        })
      : fail('nobody_fits', obstacle)
  }

  const taskOf = (asked: QueueRequest, known: Pick<Task, 'id' | 'digest' | 'select' | 'by'>): Task => {
    const { session_id: session, timeout_seconds: timeout, model, keep_open, resumable, credentials } = asked
    const { priority, not_before } = asked
    return {
      ...known,
      session: session ?? randomUUID(),
      preview: previewOf(asked.prompt),
      at: now(),
      ...(timeout !== undefined && { timeout }),
      state: 'queued',
      ...(priority !== undefined && { priority }),
      ...(not_before !== undefined && { notBefore: Date.parse(not_before) }),
      prompts: 1,
      asked: {
        ...(model !== undefined && { model }),
        ...(typeof session === 'string' && { session: true as const }),
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
    if (closed || paused !== undefined) return
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

  const give: Queue['give'] = async (asked, by) => {
    const digest = digestOf(JSON.stringify([askedIn(asked), asked.select, asked.priority, asked.not_before]))
    const id = idOf(anybody, asked.idempotency_key, now())
    await giving.get(id)
    const before = (await store.load(`task:${id}`))?.state as Task | undefined
    if (before !== undefined) {
      if (before.digest !== digest) fail('idempotency_conflict', { task: id })
      return before
    }
    const select = await selectOf(asked)
    const task = taskOf(asked, { id, digest, select, ...(by && { by }) })
    await check(asked, task)
    const running = giving.get(id)
    // Of two at once under one key the second finds what the first has made.
    if (running !== undefined) return running.then(() => give(asked, by))
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
    why: (task) =>
      task.agent !== undefined || task.state !== 'queued' || claiming.has(task.id)
        ? undefined
        : whyWaiting(task, {
            waiting: waiting(),
            candidates: hands(),
            paused: paused !== undefined,
            at: now(),
            iso: (at) => new Date(at).toISOString(),
          }),
    find,
    cancel: async (id) => {
      // Not awaited where there is none: meanwhile one could begin.
      for (let claim = claiming.get(id); claim !== undefined; claim = claiming.get(id)) await claim
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
      paused = wanted ? (paused ?? now()) : undefined
      look()
    },
    look,
    close: () => {
      closed = true
      clearTimeout(timer)
    },
  }
}
