import type { Entries } from '../entry/schema.ts'

export const storeErrors = {} as const satisfies Entries
