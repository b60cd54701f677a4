// What may stand in a log: everything but secrets.
import type { Mask } from '../secret/rules.ts'

const hidden = '[redacted]'
const secretKey = /token|secret|password|passwd|authorization|cookie|credential|api[-_]?key|private[-_]?key/i
const scheme = /\b(Bearer|Basic)\s+[\w.~+/=-]+/gi

const redactText = (text: string, mask: Mask): string => mask(text).replace(scheme, `$1 ${hidden}`)

/** Secrets go by value (wherever they stand) and by the name of their key. */
export const redact = (value: unknown, mask: Mask, depth = 0): unknown => {
  if (typeof value === 'string') return redactText(value, mask)
  if (typeof value !== 'object' || value === null) return value
  if (depth > 8) return '[too deep]'
  if (Array.isArray(value)) return value.map((item) => redact(item, mask, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      secretKey.test(key) && typeof item === 'string' ? hidden : redact(item, mask, depth + 1),
    ]),
  )
}

/** The last lines of a log that has grown, and how many they are. */
export const lastLines = (text: string, keep: number): { text: string; count: number } => {
  const lines = text.split('\n').filter((line) => line !== '')
  const kept = lines.slice(-keep)
  return { text: kept.map((line) => `${line}\n`).join(''), count: kept.length }
}
