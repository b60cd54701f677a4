import type { Entries } from '../entry/schema.ts'

export const rootErrors = {} as const satisfies Entries
