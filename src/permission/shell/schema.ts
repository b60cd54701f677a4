// What a command line may run and touch, as far as its text tells.

/** One word of a command, in the order of its pieces; null = any text, not known before it runs. */
export type Word = { readonly pieces: readonly (string | null)[] }

/** `open`: more words may follow that nobody knows before it runs (xargs, "$@"). */
export type Command = { readonly words: readonly Word[]; readonly open: boolean }

/** Of the whole line, as far as its programs are known ones. */
export type Effects = {
  /** files it may make or change */
  readonly writes: readonly Word[]
  readonly deletes: readonly Word[]
  /** addresses or hosts */
  readonly fetches: readonly Word[]
  /** some program's effects are not known: it may do anything */
  readonly unknown: boolean
}

/** `doubts`: why something cannot be decided; empty = all is known. */
export type Reading = {
  readonly commands: readonly Command[]
  readonly effects: Effects
  readonly doubts: readonly string[]
}
