// One zod issue as the rest of a sentence that begins with a path.
import type * as z from 'zod'
import { nearest, oneLine } from '../../text/rules.ts'

type Found = z.core.$ZodIssue

export type Words = {
  readonly text: string
  readonly expected?: string
  readonly meant?: string
  readonly missing?: boolean
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
  infinite: 'infinity',
  nan: 'NaN',
}
const formats: Readonly<Record<string, string>> = {
  url: 'a URL',
  uuid: 'a UUID',
  email: 'an e-mail address',
  datetime: 'a date and time like 2026-01-31T12:00:00Z',
  date: 'a date like 2026-01-31',
}
// A custom message of a schema is already in users' words; only zod's own are replaced.
const zodsOwn = /^(Invalid|Too (big|small)|Unrecognized|Expected)\b/
const truths: Readonly<Record<string, string>> = {
  yes: 'true',
  on: 'true',
  y: 'true',
  true: 'true',
  no: 'false',
  off: 'false',
  n: 'false',
  false: 'false',
}

const named = (kind: string): string => kinds[kind] ?? `a ${kind}`

const kindOf = (input: unknown): string => {
  if (input === null) return 'null'
  if (Array.isArray(input)) return 'array'
  if (Number.isNaN(input)) return 'nan'
  if (typeof input === 'number' && !Number.isFinite(input)) return 'infinite'
  return typeof input
}

/** Without `reportInput` the only trace of the input is in zod's own message. */
const received = (issue: Found): string =>
  issue.input !== undefined
    ? kindOf(issue.input)
    : (/received (\w+)/.exec(issue.message)?.[1] ?? 'undefined').toLowerCase()

const but = (kind: string): string => {
  if (kind === 'null') return ', but is empty (null)'
  return `, not ${kind === 'boolean' ? 'a boolean' : named(kind)}`
}

const listed = (values: readonly unknown[]): string => values.map(String).join(', ')

const either = (kinds: readonly string[]): string => {
  const unique = [...new Set(kinds)]
  const last = unique.pop() ?? 'something else'
  return unique.length === 0 ? last : `${unique.join(', ')} or ${last}`
}

const choice = (values: readonly unknown[], input: unknown): Words => {
  const expected = values.length === 1 ? `"${String(values[0])}"` : `one of ${listed(values)}`
  const scalar = ['string', 'number', 'boolean'].includes(typeof input)
  const meant = typeof input === 'string' ? nearest(input, values.map(String)) : undefined
  const not = scalar
    ? `, not ${oneLine(JSON.stringify(input), 60)}`
    : input === undefined
      ? ''
      : but(kindOf(input))
  return { text: `must be ${expected}${not}`, expected, ...(meant && { meant }) }
}

const type = (issue: Found & { code: 'invalid_type' }): Words => {
  const expected = named(issue.expected)
  const got = received(issue)
  if (got === 'undefined') return { text: 'is missing', expected, missing: true }
  const meant = issue.expected === 'boolean' ? truths[String(issue.input).toLowerCase()] : undefined
  const not = issue.expected === 'int' && got === 'number' ? '' : but(got)
  return { text: `must be ${expected}${not}`, expected, ...(meant && { meant }) }
}

const bound = (most: boolean, inclusive: boolean | undefined): string => {
  if (inclusive === false) return most ? 'less than' : 'more than'
  return most ? 'at most' : 'at least'
}

const size = (issue: Found & { code: 'too_big' | 'too_small' }): Words => {
  const most = issue.code === 'too_big'
  const limit = Number(most ? issue.maximum : issue.minimum)
  if (!most && limit === 1 && issue.origin !== 'number' && issue.origin !== 'int')
    return { text: 'must not be empty' }
  const unit =
    issue.origin === 'string'
      ? ' characters'
      : /^(array|set|map|object)$/.test(issue.origin)
        ? ' entries'
        : ''
  const expected = `${bound(most, issue.inclusive)} ${limit}${unit}`
  return { text: `must ${unit === '' ? 'be' : 'have'} ${expected}`, expected }
}

/** No form fits: what it may be, from the kinds that each form wanted. */
const union = (issue: Found & { code: 'invalid_union' }): Words => {
  const { options, input } = issue as { options?: readonly unknown[]; input?: unknown }
  if (issue.errors.length === 0 && options !== undefined) {
    const key = String(issue.path.at(-1))
    const value = (input as Readonly<Record<string, unknown>> | undefined)?.[key]
    if (value === undefined)
      return { text: 'is missing', expected: `one of ${listed(options)}`, missing: true }
    return choice(options, value)
  }
  const inner = issue.errors.flat().filter((each) => each.path.length === 0)
  const values = inner.flatMap((each) => (each.code === 'invalid_value' ? each.values : []))
  const types = inner.flatMap((each) => (each.code === 'invalid_type' ? [named(each.expected)] : []))
  const expected = either([...types, ...values.map((value) => JSON.stringify(value))])
  if (received(issue) === 'undefined') return { text: 'is missing', expected, missing: true }
  return { text: `must be ${expected}${but(received(issue))}`, expected }
}

export const wordsOf = (issue: Found): Words => {
  if (issue.code === 'custom' || !zodsOwn.test(issue.message)) return { text: oneLine(issue.message, 400) }
  switch (issue.code) {
    case 'invalid_type':
      return type(issue)
    case 'invalid_value':
      return 'input' in issue && issue.input === undefined
        ? { text: 'is missing', expected: `one of ${listed(issue.values)}`, missing: true }
        : choice(issue.values, issue.input)
    case 'too_big':
    case 'too_small':
      return size(issue)
    case 'invalid_format': {
      if ('prefix' in issue) return { text: `must begin with ${issue.prefix}`, expected: `${issue.prefix}…` }
      const expected =
        formats[issue.format] ?? (issue.pattern ? `like ${issue.pattern}` : `a ${issue.format}`)
      return { text: `must be ${expected}`, expected }
    }
    case 'not_multiple_of':
      return { text: `must be a multiple of ${issue.divisor}`, expected: `a multiple of ${issue.divisor}` }
    case 'invalid_key': {
      const inner = issue.issues[0]
      return {
        text:
          inner === undefined ? 'has a bad name' : `is no name for a field here: it ${wordsOf(inner).text}`,
      }
    }
    case 'invalid_union':
      return union(issue)
    default:
      return { text: 'is not valid' }
  }
}
