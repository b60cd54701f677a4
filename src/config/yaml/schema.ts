/** Something wrong with a file, at a place a person can go to. Lines and columns count from 1. */
export type Problem = {
  readonly file: string
  readonly line: number
  readonly column: number
  /** `permissions.deny[0]`; empty for the file as a whole. */
  readonly path: string
  readonly message: string
  readonly expected?: string
  /** The word that was probably meant. */
  readonly meant?: string
}

/** What came of reading a file. `value` is there only if nothing is wrong; warnings do not count. */
export type Reading<T> = {
  readonly file: string
  readonly value?: T
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
  readonly text: string
}
