// Which tasks there are, by agent and age, and hardly more: enough to know at once which ones stand on a page.

export type Entry = {
  readonly id: string
  readonly agent: string
  readonly at: number
  /** When it was over; undefined = it is not. */
  readonly ended?: number | undefined
  readonly session?: string | undefined
}

export type Asked = {
  readonly limit: number
  readonly page: number
  /** Only those older than this one. */
  readonly before?: string | undefined
}

export type Order = {
  get(id: string): Entry | undefined
  /** Oldest first. */
  idsOf(agent: string): readonly string[]
  newest(agent: string): string | undefined
  put(entry: Entry): void
  remove(id: string): void
  agents(): readonly string[]
  entries(): Iterable<Entry>
  /** Newest first. */
  page(agent: string, asked: Asked): { readonly ids: readonly string[]; readonly total: number }
}

const none: readonly string[] = []

export const orderOf = (all: readonly Entry[]): Order => {
  const entries = new Map<string, Entry>()
  const ids = new Map<string, string[]>()

  const isOlder = (one: Entry, other: Entry): boolean =>
    one.at < other.at || (one.at === other.at && one.id < other.id)

  /** How many of its agent's are older. */
  const rankOf = (entry: Entry): number => {
    const list = ids.get(entry.agent) ?? none
    let [from, to] = [0, list.length]
    while (from < to) {
      const middle = (from + to) >> 1
      const found = entries.get(list[middle] ?? '')
      if (found !== undefined && isOlder(found, entry)) from = middle + 1
      else to = middle
    }
    return from
  }

  const listOf = (agent: string): string[] => {
    const list = ids.get(agent) ?? []
    ids.set(agent, list)
    return list
  }

  for (const entry of [...all].sort((one, other) => (isOlder(one, other) ? -1 : 1))) {
    entries.set(entry.id, entry)
    listOf(entry.agent).push(entry.id)
  }

  return {
    get: (id) => entries.get(id),
    idsOf: (agent) => ids.get(agent) ?? none,
    newest: (agent) => ids.get(agent)?.at(-1),
    put: (entry) => {
      const known = entries.has(entry.id)
      if (!known) listOf(entry.agent).splice(rankOf(entry), 0, entry.id)
      entries.set(entry.id, entry)
    },
    remove: (id) => {
      const entry = entries.get(id)
      if (entry === undefined) return
      listOf(entry.agent).splice(rankOf(entry), 1)
      entries.delete(id)
    },
    agents: () => [...ids.keys()],
    entries: () => entries.values(),
    page: (agent, { limit, page, before }) => {
      const list = ids.get(agent) ?? none
      const mark = before === undefined ? undefined : entries.get(before)
      if (before !== undefined && mark?.agent !== agent) return { ids: [], total: 0 }
      const total = mark === undefined ? list.length : rankOf(mark)
      const end = total - (page - 1) * limit
      return { ids: end <= 0 ? [] : list.slice(Math.max(0, end - limit), end).reverse(), total }
    },
  }
}
