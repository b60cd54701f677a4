import type { Clock } from './rules.ts'

const two = (value: number): string => String(value).padStart(2, '0')

/** A day is the day of whoever reads a clock here, so it is not the same as that of the journal. */
export const clockAt = (now: number): Clock => {
  const date = new Date(now)
  const today = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return { now, today, midnight: date.setHours(0, 0, 0, 0) }
}
