import { durationPattern } from './schema.ts'

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
