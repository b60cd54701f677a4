// The seam between agency and where its journal and state live. SQLite now, PostgreSQL beside it later;
// every store passes `test/kit/contract.ts`. It is asynchronous for the sake of PostgreSQL: on SQLite
// each transaction is one synchronous function.
import type { Event, Fact, Kept } from '../journal/schema.ts'

export type { Kept, Reduce } from '../journal/schema.ts'

export type Decision<T> = { readonly facts: readonly Fact[]; readonly value: T }

export type Page = { readonly after: number; readonly limit: number; readonly subject?: string }

/** Two at least: SQLite answers one in another form. */
export type Fields = readonly [string, string, ...string[]]
export type Outline = { readonly subject: string; readonly values: readonly unknown[] }

export type Store = {
  /** One transaction: loads the subject, asks `decide`, appends its facts, saves what they fold to.
   * `decide` has no effects of its own: it may be asked again, and only the last answer is recorded. */
  transact<T>(subject: string, decide: (kept: Kept | undefined) => Decision<T>): Promise<T>
  /**
   * A transaction that decides nothing: all facts (of any subjects) or none. It resolves when they are on the disk;
   * activity alone when it outlives every process of ours, which a power cut in that moment can still take.
   */
  append(facts: readonly Fact[]): Promise<readonly Event[]>
  load(subject: string): Promise<Kept | undefined>
  /** Every subject of a noun, by subject, with the seq that this reading is true at. */
  list(noun?: string): Promise<{ readonly seq: number; readonly kept: readonly Kept[] }>
  /** Of every subject of a noun only these fields of its state, null where there is none; in no order. */
  outline(noun: string, fields: Fields): Promise<readonly Outline[]>
  events(page: Page): Promise<readonly Event[]>
  /** Removes `activity` events below `seq`; state events stay for ever. */
  prune(before: number): Promise<number>
  /** Where a subject has more than `most` activity events, removes its oldest down to `keep`; answers how many. */
  trim(subject: string, most: number, keep: number): Promise<number>
  /** Waits for what was asked before, then refuses everything. */
  close(): Promise<void>
}
