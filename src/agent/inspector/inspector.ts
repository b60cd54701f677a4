// An independent look at finished work: a process that may read the tree and say COMPLETE or ISSUES, and nothing else.
import type { Inspected, Work } from './schema.ts'

export type { Inspected, Work } from './schema.ts'

export type Inspect = (work: Work, gone: AbortSignal) => Promise<Inspected>
