import type { Entries } from '../entry/schema.ts'

export const keeperErrors = {} as const satisfies Entries
