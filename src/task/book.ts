// All tasks of a root, by agent. They outlive sessions and hosts; the oldest that are over are forgotten. In memory are
// those that are not over, the newest of each agent, and what the store may not have yet; the others are read when
// somebody asks for them.
import { isDeepStrictEqual } from 'node:util'
import type { Fact } from '../journal/schema.ts'
import type { Outline, Store } from '../store/store.ts'
import { type Asked, type Entry, orderOf } from './order.ts'
import { changeFact, forgetFact, isFinal, isHeadless } from './rules.ts'
import type { Task, TaskState } from './schema.ts'

export type Book = {
  /** Those that are not over, newest first. */
  open(agent: string): readonly Task[]
  /** The newest one, also when it is over. */
  latest(agent: string): Task | undefined
  /** One that is not over, or the newest: all that is followed. */
  near(agent: string, id: string): Task | undefined
  has(agent: string, id: string): boolean
  /** Whoever has it. */
  knows(id: string): boolean
  /** One of them is of this session. */
  tellsOf(session: string): boolean
  find(agent: string, id: string): Promise<Task | undefined>
  /** Newest first. */
  page(agent: string, asked: Asked): Promise<{ readonly tasks: readonly Task[]; readonly total: number }>
  /** A new one, or one that an agent has claimed, stored already. */
  put(task: Task): void
  /** Records what has become of it. One that is forgotten stays so. */
  change(task: Task): void
  /** The terminal agents whose tasks are not over. */
  busy(): readonly string[]
  /** All that are over, in no order. */
  over(): readonly Entry[]
  forget(ids: readonly string[]): void
  /** Told of each task that is over, and of each that is forgotten. */
  watch(hear: (id: string, what: 'over' | 'forgotten') => void): void
}

export type BookOptions = {
  readonly store: Store
  readonly record: (...facts: readonly Fact[]) => void
  /** How many that are over stay, for each agent; the journal has all. */
  readonly most?: number
}

/** Whose tasks wait for one that fits. */
export const anybody = ''

const usual = 100
/** So many are looked up at a time, to see whether the store has them. */
const looks = 10

const subjectOf = (id: string): string => `task:${id}`

const fields = ['agent', 'at', 'state', 'endedAt', 'session'] as const

const outlined = ({ subject, values: [agent, at, state, ended, session] }: Outline): Entry => ({
  id: subject.slice('task:'.length),
  agent: (agent ?? anybody) as string,
  at: at as number,
  ...(session !== undefined && session !== null && { session: session as string }),
  ...(isFinal({ state: state as TaskState }) && { ended: (ended ?? at) as number }),
})

const entryOf = (task: Task): Entry => {
  const { id, agent = anybody, at, session, endedAt = at } = task
  return { id, agent, at, session, ...(isFinal(task) && { ended: endedAt }) }
}

export const openBook = async ({ store, record, most = usual }: BookOptions): Promise<Book> => {
  const order = orderOf((await store.outline('task', fields)).map(outlined))
  /** Asked with every hook. */
  const near = new Map<string, Map<string, Task>>()
  const hearers: ((id: string, what: 'over' | 'forgotten') => void)[] = []
  const nearOf = (agent: string): Map<string, Task> => {
    const tasks = near.get(agent) ?? new Map<string, Task>()
    near.set(agent, tasks)
    return tasks
  }
  const load = async (id: string): Promise<Task | undefined> =>
    (await store.load(subjectOf(id)))?.state as Task | undefined
  const open = (agent: string): readonly Task[] => {
    const tasks = [...nearOf(agent).values()].filter((task) => !isFinal(task))
    return tasks.length < 2
      ? tasks
      : tasks.sort((one, other) => other.at - one.at || (one.id < other.id ? 1 : -1))
  }
  const tell = (id: string, what: 'over' | 'forgotten'): void => {
    for (const hear of hearers) hear(id, what)
  }

  const unfinished = [...order.entries()].filter(({ ended }) => ended === undefined)
  const newest = order.agents().flatMap((agent) => order.newest(agent) ?? [])
  for (const id of new Set([...unfinished.map(({ id }) => id), ...newest])) {
    const task = await load(id)
    if (task !== undefined) nearOf(task.agent ?? anybody).set(id, task)
  }

  /** What is over, and stored as it is here, need not stay in memory. */
  const release = async (agent: string): Promise<void> => {
    const tasks = nearOf(agent)
    const resting = [...tasks.values()].filter((task) => isFinal(task) && task.id !== order.newest(agent))
    for (const task of resting.slice(0, looks)) {
      const stored = await load(task.id)
      if (isDeepStrictEqual(stored, JSON.parse(JSON.stringify(task))) && tasks.get(task.id) === task)
        tasks.delete(task.id)
    }
  }
  const releasing = (agent: string): void => {
    // A store that cannot be read tells others so; what is in memory is safe there.
    void release(agent).catch(() => {})
  }

  const drop = (ids: readonly string[]): readonly Fact[] => {
    const known = ids.flatMap((id) => order.get(id) ?? [])
    for (const { id, agent } of known) {
      order.remove(id)
      nearOf(agent).delete(id)
    }
    return known.map(forgetFact)
  }

  /** Beyond what is kept, the oldest first. */
  const surplus = (agent: string): readonly string[] => {
    const ids = order.idsOf(agent)
    let left = ids.length - open(agent).length - most
    const found: string[] = []
    for (let at = 0; left > 0; at += 1) {
      const id = ids[at] ?? ''
      if (order.get(id)?.ended === undefined) continue
      found.push(id)
      left -= 1
    }
    return found
  }

  // Fewer may be kept than when the last one ended.
  const late = drop(order.agents().flatMap(surplus))
  if (late.length > 0) record(...late)

  const found = async (agent: string, id: string): Promise<Task | undefined> =>
    near.get(agent)?.get(id) ?? (await load(id))

  return {
    open,
    latest: (agent) => near.get(agent)?.get(order.newest(agent) ?? ''),
    near: (agent, id) => near.get(agent)?.get(id),
    knows: (id) => order.get(id) !== undefined,
    tellsOf: (session) => {
      for (const entry of order.entries()) if (entry.session === session) return true
      return false
    },
    has: (agent, id) => order.get(id)?.agent === agent,
    find: async (agent, id) => (order.get(id)?.agent === agent ? found(agent, id) : undefined),
    page: async (agent, asked) => {
      const { ids, total } = order.page(agent, asked)
      const tasks = await Promise.all(ids.map((id) => found(agent, id)))
      // One may be forgotten while the others are read.
      return { tasks: tasks.filter((task) => task !== undefined), total }
    },
    put: (task) => {
      const { id, agent = anybody } = task
      const before = order.get(id)
      if (before !== undefined) {
        order.remove(id)
        nearOf(before.agent).delete(id)
      }
      order.put(entryOf(task))
      nearOf(agent).set(id, task)
      releasing(agent)
    },
    change: (task) => {
      const { agent = anybody } = task
      if (order.get(task.id) === undefined) return
      order.put(entryOf(task))
      nearOf(agent).set(task.id, task)
      const old = surplus(agent)
      record(changeFact(task), ...drop(old))
      if (isFinal(task)) tell(task.id, 'over')
      for (const id of old) tell(id, 'forgotten')
      releasing(agent)
    },
    busy: () => [...near.keys()].filter((agent) => open(agent).some((task) => !isHeadless(task))),
    over: () => [...order.entries()].filter(({ ended }) => ended !== undefined),
    forget: (ids) => {
      const facts = drop(ids)
      if (facts.length > 0) record(...facts)
      for (const id of ids) tell(id, 'forgotten')
    },
    watch: (hear) => void hearers.push(hear),
  }
}
