// The journal of a root whose host is gone; and that it folds to what is kept.
import { layout } from '../src/config/layout/rules.ts'
import type { Event } from '../src/journal/schema.ts'
import { reduceOf } from '../src/state/rules.ts'
import { openStore } from '../src/store/sqlite.ts'
import { verify } from '../src/store/verify.ts'
import { demand } from './demand.ts'

export const journalOf = async (root: string): Promise<readonly Event[]> => {
  const store = await openStore({ file: layout(root).store, reduce: reduceOf, now: () => new Date() })
  try {
    const different = await verify(store, reduceOf)
    demand(different.length === 0, `the journal folds to something else for ${different.join(', ')}`)
    const all: Event[] = []
    for (;;) {
      const events = await store.events({ after: all.at(-1)?.seq ?? 0, limit: 1000 })
      if (events.length === 0) return all
      all.push(...events)
    }
  } finally {
    await store.close()
  }
}
