// Spans of time as people write them: `30s`, `10m`, `1h30m`.
import * as z from 'zod'

export const durationPattern = /^(?=\d)(\d{1,6}h)?(\d{1,6}m)?(\d{1,6}s)?(\d{1,9}ms)?$/

const unit = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 }

/** NaN for what is not a duration; a checked one always has a number. */
export const milliseconds = (text: string): number => {
  if (!durationPattern.test(text)) return Number.NaN
  let total = 0
  for (const [, count, name] of text.matchAll(/(\d+)(ms|h|m|s)/g)) {
    total += Number(count) * unit[name as keyof typeof unit]
  }
  return total
}

// A timer that is set for more than 24.8 days goes off at once.
const longest = 24 * 24 * unit.h

export const duration = z
  .string({ error: 'must be a time with its unit, such as 30s, 10m or 1h30m' })
  .regex(durationPattern, { error: 'must be a time with its unit, such as 30s, 10m or 1h30m' })
  .refine((text) => milliseconds(text) !== 0, { error: 'must be more than 0' })
  .refine((text) => !(milliseconds(text) > longest), { error: 'must be at most 24 days (576h)' })
  .meta({ description: 'A time with its unit: `30s`, `10m`, `1h30m`.' })

/** How often something is asked: what is asked more often than this is not asked but flooded. */
export const interval = duration.refine((text) => !(milliseconds(text) < unit.s), {
  error: 'must be at least 1s',
})
