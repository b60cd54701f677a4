// Spans of time as people write them: `30s`, `10m`, `1h30m`.
import * as z from 'zod'

export const durationPattern = /^(?=\d)(\d{1,6}h)?(\d{1,6}m)?(\d{1,6}s)?(\d{1,9}ms)?$/

export const duration = z
  .string({ error: 'must be a time with its unit, such as 30s, 10m or 1h30m' })
  .regex(durationPattern, { error: 'must be a time with its unit, such as 30s, 10m or 1h30m' })
  .meta({ description: 'A time with its unit: `30s`, `10m`, `1h30m`.' })
