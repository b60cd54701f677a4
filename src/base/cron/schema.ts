// A five-field cron line, taken apart: `minute hour day month weekday`.
import * as z from 'zod'

/** What each field may hold. Names stand for their place in the list, counted from `min`. */
export const fields = [
  { name: 'minute', min: 0, max: 59, names: [] },
  { name: 'hour', min: 0, max: 23, names: [] },
  { name: 'day', min: 1, max: 31, names: [] },
  {
    name: 'month',
    min: 1,
    max: 12,
    names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  // 7 is Sunday as well as 0, as in every crontab.
  { name: 'weekday', min: 0, max: 7, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
] as const
export type Field = (typeof fields)[number]

export const macros: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}

export type Cron = {
  readonly minute: readonly number[]
  readonly hour: readonly number[]
  readonly day: readonly number[]
  readonly month: readonly number[]
  readonly weekday: readonly number[]
  /** The field was written as a star: where one of day and weekday is, the other alone decides. */
  readonly anyDay: boolean
  readonly anyWeekday: boolean
}

/** A moment on a wall clock, without a zone. */
export const civil = z.strictObject({
  year: z.int(),
  month: z.int().min(1).max(12),
  day: z.int().min(1).max(31),
  hour: z.int().min(0).max(23),
  minute: z.int().min(0).max(59),
})
export type Civil = z.infer<typeof civil>
