// The tasks of a terminal agent. Once one is stored it is only followed, by what becomes of its message: whoever dies
// in between loses nothing and sends nothing twice.
import { fail } from '../base/error/fail.ts'
import type { Log } from '../base/log/open.ts'
import type { Driver } from '../driver/driver.ts'
import type { Keeper } from '../keeper/reach.ts'
import type { Desk } from '../message/desk.ts'
import type { Message } from '../message/schema.ts'
import type { Session, Signal } from '../session/schema.ts'
import type { Book } from './book.ts'
import { type GiveOptions, type Giving, giveOf } from './give.ts'
import { next, timesOf } from './next/rules.ts'
import { follow, isFinal, messageIdOf, type Standing, wish } from './rules.ts'
import type { Task } from './schema.ts'
import type { Work } from './work.ts'

export type Tasks = Work &
  Pick<Giving, 'claim' | 'freeSince'> & {
    /** The one that is not over. */
    current(): Task | undefined
    /** What it may use is used up: whatever it works on has failed. */
    exhaust(why: string): void
    /** Something has changed. */
    look(): void
    close(): void
  }

export type TasksOptions = Pick<GiveOptions, 'prompt' | 'limit'> & {
  readonly agent: string
  readonly book: Book
  readonly desk: Desk
  readonly session: () => Session
  readonly keeper: () => Keeper
  readonly driver: Pick<Driver, 'stop'>
  /** Refuses what the turn waits for people with, and so ends it; returns how much that was. */
  readonly dismiss?: ((why: string) => number) | undefined
  /** Whether its work counts; absent = always. */
  readonly standing?: (() => Standing) | undefined
  /** Tells the session. */
  readonly tell: (signal: Signal) => void
  readonly now: () => number
  /** Resolves when what was recorded is on the disk, if it can be. */
  readonly written: () => Promise<unknown>
  /** It may take what waits for an agent from now on. */
  readonly freed?: (() => void) | undefined
  readonly log: Log
}

/** How soon to look again when a hook is being answered, or something went wrong. */
const soon = 100
const later = 1_000
/** Longer, and a timer overflows and fires at once. */
const longest = 2 ** 30

export const tasksOf = (options: TasksOptions): Tasks => {
  const { agent, book, desk, session, keeper, driver, tell, now, log } = options
  const box = desk.box(agent)
  const since = now()
  let timer: NodeJS.Timeout | undefined
  let [busy, closed] = [false, false]
  const giving = giveOf(options)
  let free = false

  const textsOf = (task: Task): readonly Message[] => {
    const ids = Array.from({ length: task.prompts ?? 1 }, (_, place) => messageIdOf(task, place + 1))
    return box.messages().filter(({ id }) => ids.includes(id))
  }
  const messageOf = (task: Task): Message | undefined => {
    const id = messageIdOf(task)
    return box.messages().find((message) => message.id === id)
  }
  const current = (): Task | undefined => book.open(agent)[0]
  const change = (before: Task, after: Task): Task => {
    if (after !== before) book.change(after)
    return after
  }
  const find = async (id: string): Promise<Task> =>
    (await book.find(agent, id)) ??
    fail('not_found', { what: `task "${id}" of "${agent}"`, see: `Ask for /agents/${agent}/history.` })

  const lookIn = (milliseconds: number): void => {
    clearTimeout(timer)
    if (!closed) timer = setTimeout(look, Math.min(Math.max(milliseconds, 0), longest)).unref()
  }

  /** The keeper presses each key only once, also for the next host. */
  const press = async (task: Task): Promise<number> => {
    const { stamp, hooksWaiting } = await keeper().status()
    const open = book.near(agent, task.id)
    // The turn has ended meanwhile.
    if (closed || open === undefined || stepOf(open).kind !== 'press') return soon
    const times = timesOf(open, since)
    if (hooksWaiting > 0) {
      // One that waits for a person is refused, which ends the turn as Esc would; any other is being answered now.
      const refused = options.dismiss?.(`the task was ended (${open.wish?.why ?? 'cancel'})`) ?? 0
      if (refused > 0) change(open, { ...open, pressed: { times, at: now() } })
      return refused > 0 ? 0 : soon
    }
    const steps = [Buffer.from(driver.stop.interrupt.keys)]
    const { typed } = await keeper().type({ key: `${messageIdOf(open)} cancel ${times}`, stamp, steps })
    const still = book.near(agent, task.id)
    if (typed === 'refused' || still === undefined || isFinal(still)) return soon
    change(still, { ...still, pressed: { times, at: now() } })
    tell({ from: 'keeper', event: { kind: 'typed', key: 'escape' } })
    return 0
  }

  const pressing = (task: Task): void => {
    if (busy || closed) return
    busy = true
    void press(task)
      .catch((error: Error) => {
        log.warn('a turn could not be interrupted yet', { agent, reason: error.message })
        return later
      })
      .then((pause) => {
        busy = false
        lookIn(pause)
      })
  }

  const stepOf = (task: Task) => next(task, messageOf(task), session(), now(), since)

  /** What only we know; true = it has changed something, so look once more. */
  const act = (task: Task): boolean => {
    const step = stepOf(task)
    switch (step.kind) {
      case 'expire':
        change(task, wish(task, 'timeout', now()))
        return true
      case 'withdraw':
        box.tell(messageIdOf(task), {
          from: 'withdrawn',
          reason: task.wish ? `its task: ${task.wish.why}` : 'the session ended',
        })
        return true
      case 'adrift':
        box.tell(messageIdOf(task), { from: 'adrift' })
        return true
      case 'press':
        pressing(task)
        return false
      case 'wait':
        lookIn(step.until - now())
        return false
      case 'nothing':
        return false
    }
  }

  const followed = (task: Task): Task =>
    change(task, follow(task, messageOf(task), session(), now(), options.standing?.()))

  const review = (): void => {
    clearTimeout(timer)
    const latest = book.latest(agent)
    if (latest !== undefined && isFinal(latest)) followed(latest)
    for (const open of book.open(agent)) {
      let task = followed(open)
      for (let more = 3; more > 0 && act(task); more -= 1) task = followed(book.near(agent, task.id) ?? task)
    }
  }
  const look = (): void => {
    if (closed) return
    review()
    const before = free
    free = giving.freeSince() !== undefined
    if (free && !before) options.freed?.()
  }

  const forget = desk.watch(({ to }) => {
    // Later: what the message heard, the session is about to hear.
    if (to === agent) queueMicrotask(look)
  })
  look()

  return {
    give: async (asked) => {
      const id = await giving.give(asked)
      // Also after the end: the session may have ended meanwhile, and nobody else would tell the task.
      review()
      return find(id)
    },
    cancel: async (id) => {
      const task = book.near(agent, id) ?? (await find(id))
      if (isFinal(task)) fail('already_completed', { task: id, final_state: task.state })
      change(task, wish(task, 'cancel', now()))
      look()
      await options.written()
      return find(id)
    },
    proceed: async (id, asked) => {
      await giving.proceed(await find(id), asked)
      review()
      return find(id)
    },
    claim: async (waiting) => {
      const taken = await giving.claim(waiting)
      review()
      return taken
    },
    freeSince: giving.freeSince,
    end: async (id) => fail('already_completed', { task: id, final_state: (await find(id)).state }),
    progress: () => undefined,
    record: async (id) => {
      const texts = textsOf(await find(id))
      return { prompts: texts.map(({ text }) => text), log: [] }
    },
    debug: async (id) => {
      await find(id)
      return []
    },
    find,
    open: () => book.open(agent),
    page: (asked) => book.page(agent, asked),
    current,
    exhaust: (why) => {
      const task = current()
      if (task === undefined) return
      change(task, wish(task, 'budget', now(), why))
      look()
    },
    look,
    close: () => {
      closed = true
      clearTimeout(timer)
      forget()
    },
  }
}
