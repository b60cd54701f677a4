// What is passed along while the commands of a line are found.
import type { Word } from '../schema.ts'

type Item = Word & { readonly split: boolean; readonly wild: boolean; readonly output: boolean }

/** Standard input as code would come from it; `doubt` = from another program. */
export type Fed =
  | { readonly kind: 'text'; readonly word: Item }
  | { readonly kind: 'file'; readonly word: Item }
  | { readonly kind: 'doubt' }

/** `open`: more words follow that nobody knows. */
export type Input = { readonly feed: Fed | undefined; readonly open: boolean }

export type Sink = {
  /** A command that may run; `hosts` = it may run its own words. */
  readonly command: (words: readonly Item[], open: boolean, hosts: boolean) => void
  readonly run: (words: readonly Item[], input: Input, place?: boolean) => void
  /** Code of a shell; `known` = the gaps in it are words, not code. */
  readonly code: (code: Item, input: Input, known?: boolean) => void
  /** Code of another language. */
  readonly foreign: (code: Item) => void
  /** A value that is a command, perhaps behind a prefix: `exec=cmd`, `execute(cmd)`. */
  readonly hook: (code: Item, input: Input) => void
  /** A file whose text runs. */
  readonly file: (path: Item) => void
  /** A word that may be a file whose text runs. */
  readonly mention: (path: Item) => void
  readonly assign: (word: Item) => void
  readonly doubt: (why: string) => void
  readonly effects: { writes: Item[]; deletes: Item[]; fetches: Item[]; unknown: boolean }
}
