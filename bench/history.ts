// A page of the history of an agent that has done very much, against that of one that has not; and what it costs the
// host to start with all of it.
import { join } from 'node:path'
import { reduceOf } from '../src/state/rules.ts'
import { openStore } from '../src/store/sqlite.ts'
import type { Store } from '../src/store/store.ts'
import { type Book, openBook } from '../src/task/book.ts'
import { queueFact, summaryOf } from '../src/task/rules.ts'
import type { Task } from '../src/task/schema.ts'
import { interleaved, median, type Row } from './frame.ts'

const few = 100
const limit = 20
const used = { input: 1200, output: 340, cacheRead: 90_000, cacheWrite: 4000, costUsd: 0.12 }

const taskOf = (at: number): Task => ({
  id: `task-${at.toString(36).padStart(8, '0')}`,
  agent: 'coder',
  session: '00000000-0000-4000-8000-000000000000',
  preview: 'Fix what is broken. '.repeat(5),
  digest: '0'.repeat(64),
  at,
  state: 'completed',
  startedAt: at,
  endedAt: at + 1,
  output: 'It is done. '.repeat(40),
  used,
})

const filled = async (file: string, count: number): Promise<Store> => {
  const store = await openStore({ file, reduce: reduceOf, now: () => new Date(0) })
  for (let from = 0; from < count; from += 2000) {
    const length = Math.min(2000, count - from)
    await store.append(Array.from({ length }, (_, index) => queueFact(taskOf(from + index))))
  }
  return store
}

const opened = (store: Store): Promise<Book> =>
  openBook({ store, record: () => {}, most: Number.MAX_SAFE_INTEGER })

const clock = { now: 0, iso: (at: number): string => new Date(at).toISOString() }

/** What a request for a page makes of it, several times over: one is too short to be measured. */
const pageTime = async (book: Book, page: number): Promise<number> => {
  const from = performance.now()
  for (let more = 50; more > 0; more -= 1) {
    const { tasks } = await book.page('coder', { limit, page })
    if (tasks.length !== limit) throw new Error(`page ${page} has ${tasks.length} tasks`)
    JSON.stringify(tasks.map((task) => summaryOf(task, clock)))
  }
  return (performance.now() - from) / 50
}

export const historyRows = async (rounds: number, many: number, scratch: string): Promise<Row[]> => {
  const large = await filled(join(scratch, 'many.db'), many)
  const small = await filled(join(scratch, 'few.db'), few)
  try {
    const [most, least] = [await opened(large), await opened(small)]
    const last = many / limit
    const times = await interleaved(rounds, {
      first: () => pageTime(most, 1),
      deep: () => pageTime(most, last),
      floor: () => pageTime(least, 1),
      floorDeep: () => pageTime(least, few / limit),
    })
    const starts = await interleaved(Math.min(rounds, 5), {
      book: async () => {
        const from = performance.now()
        await opened(large)
        return performance.now() - from
      },
      list: async () => {
        const from = performance.now()
        await large.list('task')
        return performance.now() - from
      },
    })
    const against = { floorName: `of ${few}`, unit: 'ms', limit: 2 }
    return [
      {
        name: `history of ${many} tasks, page 1`,
        value: median(times.first),
        floor: median(times.floor),
        ...against,
      },
      {
        name: `history of ${many} tasks, page ${last}`,
        value: median(times.deep),
        floor: median(times.floorDeep),
        ...against,
      },
      {
        name: `a host starts with ${many} tasks`,
        value: median(starts.book),
        floor: median(starts.list),
        floorName: 'reading them all',
        unit: 'ms',
        limit: 1,
      },
    ]
  } finally {
    await large.close()
    await small.close()
  }
}
