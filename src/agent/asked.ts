import type { Store } from '../store/store.ts'

const page = 1_000

/** The calls of a session whose hooks were answered: each was written down before its answer. */
export const askedIn = async (store: Store, id: string): Promise<readonly string[]> => {
  const asked: string[] = []
  for (let after = 0; ; ) {
    const events = await store.events({ after, limit: page, subject: `session:${id}` })
    for (const { type, data } of events) if (type === 'session.called') asked.push(String(data.call))
    const last = events.at(-1)
    if (last === undefined || events.length < page) return asked
    after = last.seq
  }
}
