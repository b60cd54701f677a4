import type { Entries } from '../entry/schema.ts'

export const hostErrors = {} as const satisfies Entries
