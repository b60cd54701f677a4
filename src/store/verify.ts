import { isDeepStrictEqual } from 'node:util'
import { replay } from '../journal/rules.ts'
import type { Kept, Reduce } from '../journal/schema.ts'
import type { Store } from './store.ts'

const pageSize = 500

/** The subjects whose stored state is not what the journal folds to. None, unless something is badly wrong. */
export const verify = async (store: Store, reduce: (noun: string) => Reduce): Promise<string[]> => {
  const { seq, kept } = await store.list()
  let expected: ReadonlyMap<string, Kept> = new Map()
  for (let after = 0; after < seq; ) {
    const page = await store.events({ after, limit: pageSize })
    // Others may append meanwhile: what came after the reading is no part of it.
    expected = replay(
      page.filter((event) => event.seq <= seq),
      reduce,
      expected,
    )
    after = page.at(-1)?.seq ?? seq
  }
  const stored = new Map(kept.map((one) => [one.subject, one]))
  const asStored = (one: Kept | undefined): unknown => one && JSON.parse(JSON.stringify(one))
  return [...new Set([...expected.keys(), ...stored.keys()])]
    .filter((subject) => !isDeepStrictEqual(asStored(expected.get(subject)), stored.get(subject)))
    .sort()
}
