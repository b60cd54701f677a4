// What a command line may run and touch, as far as its text tells.

/** One word of a command, in the order of its pieces; null = any text, not known before it runs. */
export type Word = {
  readonly pieces: readonly (string | null)[]
  /** not quoted: it may become several words, or none */
  readonly split?: boolean
}

export type Command = {
  readonly words: readonly Word[]
  /** more words may follow that nobody knows before it runs: xargs, "$@" */
  readonly open: boolean
  /** its program is not a known one: it may run its own words as a command */
  readonly hosts?: boolean
}

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

export type Reading = {
  readonly commands: readonly Command[]
  /** code of other languages that runs: a program named in it may run too */
  readonly codes: readonly Word[]
  readonly effects: Effects
  /** why something cannot be decided; empty = all is known */
  readonly doubts: readonly string[]
}
