// Spans and counts as people type them behind an option.
import { milliseconds } from '../../../base/duration/rules.ts'

const day = 86_400_000

/** `7d`, or what `30s`, `12h` and `1h30m` are; undefined = neither. */
export const ageOf = (text: string): number | undefined => {
  const days = /^(\d{1,5})d$/.exec(text)?.[1]
  if (days !== undefined) return Number(days) * day
  const ms = milliseconds(text)
  return Number.isNaN(ms) ? undefined : ms
}

/** A whole number from `least` up; undefined = it is none. */
export const countOf = (text: string, least: number): number | undefined => {
  const count = /^\d{1,5}$/.test(text) ? Number(text) : -1
  return count >= least ? count : undefined
}
