/** One thing that can go wrong. Texts may have `{holes}`, filled by `fail`. */
export type Entry = {
  /** HTTP status where it is answered over the API. */
  readonly status: number
  /** 2 = the input was wrong, 1 = it failed. */
  readonly exit: 1 | 2
  /** What happened. */
  readonly message: string
  /** What is safe: what was not touched, what still stands. */
  readonly safe: string
  /** What to type or do next. */
  readonly next: string
}
export type Entries = Readonly<Record<string, Entry>>
