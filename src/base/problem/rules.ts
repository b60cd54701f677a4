// What zod found, in users' words: `permissions.deny must be a list, not a string`.
import type * as z from 'zod'
import { nearest, oneLine } from '../text/rules.ts'
import { fieldsAt } from './fields/rules.ts'
import type { Issue } from './schema.ts'
import { type Words, wordsOf } from './words/rules.ts'

type Key = string | number
type Found = z.core.$ZodIssue
type Said = Issue & { readonly missing?: boolean; readonly unknown?: boolean }

export const pathText = (keys: readonly Key[]): string =>
  keys.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`
    return text === '' ? key : `${text}.${key}`
  }, '')

/** Message and, where there is one, the word that was meant: what a person reads. */
export const sentence = (issue: Pick<Issue, 'message' | 'meant'>): string =>
  issue.meant === undefined ? issue.message : `${issue.message} (did you mean ${issue.meant}?)`

const keysOf = (path: readonly PropertyKey[]): Key[] =>
  path.map((key) => (typeof key === 'number' ? key : String(key)))

const put = (keys: readonly Key[], words: Words): Said => {
  const path = oneLine(pathText(keys), 200)
  const { text, ...rest } = words
  const joint = path === '' ? '' : /^(must|is|has|needs|cannot|may)\b/.test(text) ? ' ' : ': '
  return { path, keys, message: `${path}${joint}${text}`, ...rest }
}

const unknown = (keys: readonly Key[], schema: z.core.$ZodType | undefined): Said => {
  const key = String(keys.at(-1))
  const meant = schema && nearest(key, fieldsAt(schema, keys.slice(0, -1)))
  const path = oneLine(pathText(keys), 200)
  return { path, keys, message: `unknown field ${path}`, unknown: true, ...(meant && { meant }) }
}

const wrongKind = (issues: readonly Found[]): boolean =>
  issues.some((issue) => issue.path.length === 0 && /^invalid_(type|value)$/.test(issue.code))

/** Of the forms a value may have, people meant the one whose kind fits and which is nearest to being right. */
const branch = (errors: readonly (readonly Found[])[]): readonly Found[] | undefined =>
  errors.filter((issues) => !wrongKind(issues)).sort((a, b) => a.length - b.length)[0]

const explain = (issue: Found, above: readonly Key[], schema: z.core.$ZodType | undefined): Said[] => {
  const keys = [...above, ...keysOf(issue.path)]
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknown([...keys, key], schema))
  if (issue.code === 'invalid_union') {
    const meant = branch(issue.errors)
    if (meant !== undefined) return meant.flatMap((inner) => explain(inner, keys, schema))
  }
  return [put(keys, wordsOf(issue))]
}

/** A mistyped field is one mistake, not an unknown field and a missing one. */
const once = (said: readonly Said[]): Said[] => {
  const meant = new Set(
    said
      .filter((each) => each.unknown && each.meant !== undefined)
      .map((each) => pathText([...each.keys.slice(0, -1), each.meant ?? ''])),
  )
  const told = new Set<string>()
  return said.filter((each) => {
    // Two checks of one field may say the same.
    const repeated = told.has(each.message)
    told.add(each.message)
    return !repeated && !(each.missing && meant.has(pathText(each.keys)))
  })
}

/** `schema` is what was parsed with: it knows the fields for "did you mean". */
export const issuesOf = (error: z.core.$ZodError, schema?: z.core.$ZodType): Issue[] =>
  once(error.issues.flatMap((issue) => explain(issue, [], schema))).map(
    ({ missing: _missing, unknown: _unknown, ...issue }) => issue,
  )

export type Checked<T> = { readonly value: T } | { readonly issues: readonly Issue[] }

/** Parses, and explains what is wrong. Asks zod for the input, so that "not a number" can be said. */
export const check = <S extends z.ZodType>(schema: S, input: unknown): Checked<z.infer<S>> => {
  const parsed = schema.safeParse(input, { reportInput: true })
  return parsed.success ? { value: parsed.data } : { issues: issuesOf(parsed.error, schema) }
}
