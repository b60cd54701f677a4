import type { Entries } from '../entry/schema.ts'

export const driverErrors = {} as const satisfies Entries
