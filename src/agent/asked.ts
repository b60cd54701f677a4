import type { Store } from '../store/store.ts'

const page = 1_000

/** The calls of a session, by what the journal has of them. */
export type Told = {
  /** Their hooks were answered: each was written down before its answer. */
  readonly asked: readonly string[]
  /** Their ends were told. */
  readonly closed: readonly string[]
}

export const toldIn = async (store: Store, id: string): Promise<Told> => {
  const [asked, closed]: [string[], string[]] = [[], []]
  for (let after = 0; ; ) {
    const events = await store.events({ after, limit: page, subject: `session:${id}` })
    for (const { type, data } of events) {
      if (type === 'session.called') asked.push(String(data.call))
      if (type === 'session.returned') closed.push(String(data.call))
    }
    const last = events.at(-1)
    if (last === undefined || events.length < page) return { asked, closed }
    after = last.seq
  }
}
