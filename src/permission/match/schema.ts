/** `undecidable` counts as yes for gates and deny rules. */
export type Match = { readonly match: 'yes' | 'no' | 'undecidable'; readonly why: string }
