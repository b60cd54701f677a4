// The seam between agency and where its journal and state live. SQLite now, PostgreSQL beside it later;
// every store passes `test/kit/contract.ts`. It is asynchronous for the sake of PostgreSQL: on SQLite
// each transaction is one synchronous function.
import type { Event, Fact } from '../journal/schema.ts'

/** What the store keeps of one subject: the fold of its state events up to `seq`. */
export type Kept = { readonly subject: string; readonly seq: number; readonly state: unknown }

/** Pure: the next state of a subject. `state` is undefined before its first event; undefined forgets it. */
export type Reduce = (state: unknown, event: Event) => unknown

export type Decision<T> = { readonly facts: readonly Fact[]; readonly value: T }

export type Page = { readonly after: number; readonly limit: number; readonly subject?: string }

export type Store = {
  /** One transaction: loads the subject, asks `decide`, appends its facts, saves what they fold to. */
  transact<T>(subject: string, decide: (kept: Kept | undefined) => Decision<T>): Promise<T>
  /** A transaction that decides nothing: all facts (of any subjects) or none. */
  append(facts: readonly Fact[]): Promise<readonly Event[]>
  load(subject: string): Promise<Kept | undefined>
  /** Every subject of a noun, by subject, with the seq that this reading is true at. */
  list(noun?: string): Promise<{ readonly seq: number; readonly kept: readonly Kept[] }>
  events(page: Page): Promise<readonly Event[]>
  /** Removes `activity` events below `seq`; state events stay for ever. */
  prune(before: number): Promise<number>
  close(): Promise<void>
}
