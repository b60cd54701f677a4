// All tasks of a root, by agent. They outlive sessions and hosts; the oldest that are over are forgotten.
import type { Fact } from '../journal/schema.ts'
import type { Store } from '../store/store.ts'
import { changeFact, forgetFact, isFinal, isHeadless } from './rules.ts'
import type { Task } from './schema.ts'

export type Book = {
  /** Newest first. */
  of(agent: string): readonly Task[]
  find(agent: string, id: string): Task | undefined
  /** A new one, or one that an agent has claimed, stored already. */
  put(task: Task): void
  /** Records what has become of it. */
  change(task: Task): void
  /** The terminal agents whose tasks are not over. */
  busy(): readonly string[]
}

export type BookOptions = {
  readonly store: Store
  readonly record: (...facts: readonly Fact[]) => void
}

/** Whose tasks wait for one that fits. */
export const anybody = ''

/** Of those that are over, for each agent; the journal has all. */
const most = 100

const byAge = (one: Task, other: Task): number => other.at - one.at || (one.id < other.id ? 1 : -1)

export const openBook = async ({ store, record }: BookOptions): Promise<Book> => {
  /** Asked with every hook: in order already. */
  const pages = new Map<string, readonly Task[]>()
  const of = (agent: string): readonly Task[] => pages.get(agent) ?? []
  const put = (task: Task): void => {
    const { id, agent = anybody } = task
    if (agent !== anybody)
      pages.set(
        anybody,
        of(anybody).filter((each) => each.id !== id),
      )
    pages.set(agent, [task, ...of(agent)].sort(byAge))
  }

  const { kept } = await store.list('task')
  for (const { state } of kept) put(state as Task)

  return {
    of,
    find: (agent, id) => of(agent).find((task) => task.id === id),
    put,
    change: (task) => {
      const { agent = anybody } = task
      const tasks = of(agent).map((each) => (each.id === task.id ? task : each))
      const old = tasks.filter(isFinal).slice(most)
      pages.set(
        agent,
        tasks.filter((each) => !old.includes(each)),
      )
      record(changeFact(task), ...old.map(forgetFact))
    },
    busy: () =>
      [...pages]
        .filter(([, tasks]) => tasks.some((task) => !isFinal(task) && !isHeadless(task)))
        .map(([agent]) => agent),
  }
}
