// Forgets tasks that are too old, or too much, and removes the files of each task that is forgotten, and what its session
// left unless another task tells of it.
import type { Log } from '../../base/log/open.ts'
import type { Config } from '../../config/schema.ts'
import type { Book } from '../book.ts'
import { forgetHistory, listHistory, sizeOf } from './forget.ts'
import { tooMuch, tooOld } from './retention/rules.ts'
import { forgetSession, readOwner } from './session.ts'

export type Retention = {
  /** Resolves when all that is to be forgotten by now is gone. */
  settled(): Promise<void>
  close(): void
}

export type RetentionOptions = {
  readonly root: string
  readonly book: Book
  readonly limits: Config['history']
  readonly now: () => number
  readonly log: Log
  /** Milliseconds between looks at the clock. */
  readonly pause?: number
}

const hour = 3_600_000
const megabyte = 1_000_000

export const openRetention = async (options: RetentionOptions): Promise<Retention> => {
  const { root, book, limits, now, log, pause = hour } = options
  const sizes = new Map<string, number>()
  const unmeasured = new Set<string>()
  const unwanted = new Set<string>()
  let closed = false
  let working: Promise<void> | undefined

  const remove = async (id: string): Promise<void> => {
    unwanted.delete(id)
    unmeasured.delete(id)
    sizes.delete(id)
    try {
      const owner = doubtful.has(id) ? undefined : await readOwner(root, id)
      // Its session first: only its files say which that was.
      const left = owner && (await forgetSession(root, owner, () => book.tellsOf(owner.session)))
      if (left !== undefined) log.warn('what a forgotten task worked on stays', { task: id, reason: left })
      await forgetHistory(root, id)
    } catch (error) {
      // The next host finds it without a task, and tries again.
      log.warn('the history of a forgotten task is still there', {
        task: id,
        reason: (error as Error).message,
      })
    }
  }
  const measure = async (id: string): Promise<void> => {
    unmeasured.delete(id)
    const size = await sizeOf(root, id).catch((error: Error) => {
      log.warn('the history of a task cannot be measured', { task: id, reason: error.message })
      return 0
    })
    if (size > 0) sizes.set(id, size)
  }

  /** One after the other: a host that starts with a hundred thousand has other things to do. */
  const work = async (): Promise<void> => {
    book.forget(tooOld(limits.days === undefined ? [] : book.over(), limits.days, now()))
    while (!closed) {
      const [id] = unwanted.size > 0 ? unwanted : unmeasured
      if (id !== undefined) await (unwanted.has(id) ? remove(id) : measure(id))
      else {
        const surplus = tooMuch(book.over, sizes, limits.megabytes * megabyte)
        if (surplus.length === 0) break
        book.forget(surplus)
      }
    }
    working = undefined
  }
  const look = (): void => {
    // Later: what is forgotten there comes back here.
    if (!closed) working ??= Promise.resolve().then(work)
  }

  const kept = await listHistory(root)
  for (const id of kept) (book.knows(id) ? unmeasured : unwanted).add(id)
  // A book that knows none of them has lost its store: that nobody tells of them is no reason to remove work.
  const doubtful = new Set(unmeasured.size === 0 ? kept : [])
  book.watch((id, what) => {
    if (what === 'forgotten') unwanted.add(id)
    else unmeasured.add(id)
    look()
  })
  const timer = setInterval(look, pause).unref()
  look()
  return {
    settled: async () => {
      while (working !== undefined) await working
    },
    close: () => {
      closed = true
      clearInterval(timer)
    },
  }
}
