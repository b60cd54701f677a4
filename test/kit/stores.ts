// How the tests of stores open, fill and read them.
import { afterEach } from 'vitest'
import { AgencyError } from '../../src/base/error/fail.ts'
import { fact } from '../../src/journal/rules.ts'
import type { Event, Fact } from '../../src/journal/schema.ts'
import type { Store } from '../../src/store/store.ts'
import type { Counter } from './reduce.ts'

export type Opened = {
  readonly store: Store
  /** Removes what was made. */
  readonly remove: () => Promise<void>
}
/** `reopen` gives another handle on the same data, while the first stays open. */
export type Shared = Opened & { readonly reopen: () => Promise<Store> }

export const raised = (id: string, who = 'a', step = 1): Fact => fact('counter.raised', id, { who, step })
export const wrote = (id: string, text: string): Fact => fact('note.written', id, { text })
export const everything = (store: Store): Promise<readonly Event[]> => store.events({ after: 0, limit: 1e6 })
export const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no error',
    (error) => (error instanceof AgencyError ? error.code : `uncoded: ${error}`),
  )
export const raise = (store: Store, id: string, who: string): Promise<number> =>
  store.transact(`counter:${id}`, (kept) => ({
    facts: [raised(id, who)],
    value: ((kept?.state as Counter | undefined)?.total ?? 0) + 1,
  }))

/** Opens stores and closes them after each test. */
export const stores = <O extends Opened>(open: () => Promise<O>) => {
  const cleanups: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  })
  const fresh = async (): Promise<O> => {
    const opened = await open()
    cleanups.push(async () => {
      await opened.store.close()
      await opened.remove()
    })
    return opened
  }
  const again = async ({ reopen }: Shared): Promise<Store> => {
    const store = await reopen()
    cleanups.push(() => store.close())
    return store
  }
  return { fresh, again }
}

/** Reads on by seq, page after page, until `writes` are done and nothing is left: what was seen. */
export const follow = async (store: Store, writes: Promise<unknown>): Promise<number[]> => {
  const seen: number[] = []
  let writing = true
  const done = writes.finally(() => {
    writing = false
  })
  for (;;) {
    const last = !writing
    const page = await store.events({ after: seen.at(-1) ?? 0, limit: 7 })
    seen.push(...page.map(({ seq }) => seq))
    if (last && page.length === 0) break
    await new Promise(setImmediate)
  }
  await done
  return seen
}
