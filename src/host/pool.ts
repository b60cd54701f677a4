// The tasks of the whole root: those that wait for an agent, and who does the others.
import type { Roster } from '../agent/roster.ts'
import type { Book } from '../task/book.ts'
import { type Queue, queueOf } from '../task/queue.ts'
import type { Task } from '../task/schema.ts'
import type { Work } from '../task/work.ts'
import type { Crew } from './crew.ts'
import type { Ground } from './ground.ts'
import type { headlessAgents } from './headless.ts'
import type { Route } from './http/route.ts'
import { queueRoutes } from './routes/queue.ts'

export type PoolOptions = {
  readonly ground: Ground
  readonly book: Book
  readonly headless: ReturnType<typeof headlessAgents>
  readonly crew: () => Crew | undefined
  readonly roster: () => Roster | undefined
  readonly written: () => Promise<boolean>
  readonly now: () => number
}

export const poolOf = (
  options: PoolOptions,
): { readonly queue: Queue; readonly routes: readonly Route[] } => {
  const { ground, book, headless, crew, roster, written, now } = options
  const queue = queueOf({
    book,
    store: ground.store,
    root: ground.layout.root,
    hands: headless.hands,
    written,
    now,
    log: ground.log,
    paused: ground.paused,
  })

  const workOf = async (agent: string): Promise<Work | undefined> =>
    headless.find(agent) ?? (await roster()?.list())?.find(({ name }) => name === agent)?.tasks

  const ownerOf = async (id: string): Promise<{ task: Task; work?: Work | undefined } | undefined> => {
    const waiting = queue.find(id)
    if (waiting !== undefined) return { task: waiting }
    await written()
    const task = (await ground.store.load(`task:${id}`))?.state as Task | undefined
    return task && { task, ...(task.agent !== undefined && { work: await workOf(task.agent) }) }
  }

  const open = (): readonly Task[] =>
    (crew()?.members() ?? [])
      .filter(({ kind }) => kind.place === 'agents')
      .flatMap(({ name }) => book.open(name))

  const paused = (wanted: boolean): void => ground.record('paused', { paused: wanted })
  return { queue, routes: queueRoutes({ queue: () => queue, open, ownerOf, paused, now }) }
}
