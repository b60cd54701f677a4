// A command line as bash's grammar cuts it, before anything is expanded.

export type Text = { readonly text: string; readonly quoted: boolean }

/** Something put in when it runs: a variable (by its name), the output of a command, a file name ('' for those). */
export type Hole = {
  readonly hole: string
  readonly quoted: boolean
  /** becomes any number of words, even within quotes: "$@" */
  readonly many: boolean
}

export type Parts = readonly (Text | Hole)[]

export type Assignment = {
  readonly name: string
  /** undefined = a value that nobody can read from the text */
  readonly value: Parts | undefined
}

/** Where a command's standard input comes from, when not from the terminal. */
export type Feed =
  | { readonly kind: 'text'; readonly parts: Parts }
  | { readonly kind: 'pipe'; readonly from: readonly Simple[] }
  | { readonly kind: 'file'; readonly parts: Parts }

/** One simple command; `sure` = it runs before whatever follows it, in the same shell. */
export type Simple = {
  readonly words: readonly Parts[]
  readonly assignments: readonly Assignment[]
  readonly writes: readonly Parts[]
  feed: Feed | undefined
  sure: boolean
}

export type Script = {
  readonly simples: Simple[]
  /** what could not be read as bash's grammar */
  readonly problems: Set<string>
  steps: number
}

type Document = {
  readonly end: string
  readonly tabs: boolean
  readonly quoted: boolean
  readonly take: (body: Parts) => void
}

/** A place in a text, moved on by the functions that read it. */
export type Reader = {
  readonly text: string
  at: number
  readonly script: Script
  depth: number
  /** here-documents announced on this line, read at its end */
  pending: Document[]
  feed: Feed | undefined
  sure: boolean
  /** within $( ): the end of a here-document may carry the parenthesis */
  readonly inner: boolean
  readonly grammar: Grammar
}

/** The two ways back into the grammar, for what lies below it. */
export type Grammar = {
  /** Commands up to the end, `)` or `;;` (not taken), or one of these words (taken). */
  readonly list: (r: Reader, ends: readonly string[]) => string | undefined
  /** One command of a pipeline. */
  readonly element: (r: Reader) => void
}

/** More than any person or model writes; over one of these nothing is decided. */
export const limits = { length: 131_072, steps: 9_000, depth: 40, codes: 10, words: 64 }

/** Stands for a hole in a text that is read as code again. */
export const gap = '\uE000'
