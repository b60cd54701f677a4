/** What is wrong with a value, in users' words: the same for files, requests and the command line. */
export type Issue = {
  /** `permissions.deny[0]`; empty for the value as a whole. */
  readonly path: string
  readonly keys: readonly (string | number)[]
  /** A sentence part that names the path: `permissions.deny must be a list, not a string`. */
  readonly message: string
  readonly expected?: string
  /** The word that was probably meant. */
  readonly meant?: string
}
