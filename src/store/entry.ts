// A fact as it is written: checked, and taken by value.
import { Buffer } from 'node:buffer'
import { fail } from '../base/error/fail.ts'
import { dataLimit, type Fact, kind, subjectPattern, typePattern } from '../journal/schema.ts'

export type Entry = Omit<Fact, 'data'> & { readonly data: string }

const text = (data: unknown): string | undefined => {
  try {
    return JSON.stringify(data)
  } catch {
    // A circle or a bigint: said below, as for everything that is no JSON object.
    return undefined
  }
}

export const entryOf = (fact: Fact): Entry => {
  const { kind: sort, type, subject } = fact
  const invalid = (why: string): never => fail('fact_invalid', { type, subject, why })
  if (!kind.options.includes(sort)) invalid('its kind is unknown')
  if (!typePattern.test(type)) invalid('its type is not noun.what_happened')
  if (!subjectPattern.test(subject)) invalid('its subject is not noun:id')
  const data = text(fact.data) ?? ''
  if (!data.startsWith('{')) invalid('its data is not a JSON object')
  const size = Buffer.byteLength(data)
  if (size > dataLimit) fail('fact_large', { type, subject, size, limit: dataLimit })
  return { kind: sort, type, subject, data }
}
