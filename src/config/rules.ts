import type { Config } from './schema.ts'

/** The config as it may be shown: without the password of the store. Rather hides too much of an odd URL. */
export const shownConfig = (config: Config): Config => ({
  ...config,
  store: config.store.replace(/^(\w+:\/\/[^:@/]*):.*@/, '$1:***@').replace(/([?&]password=)[^&]*/, '$1***'),
})

type Key = string | number

/** Paths of the values that are no objects themselves. */
export const leaves = (value: unknown, keys: readonly Key[] = []): readonly (readonly Key[])[] =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value).flatMap(([key, each]) => leaves(each, [...keys, key]))
    : [keys]

export const valueAt = (value: unknown, keys: readonly Key[]): unknown =>
  keys.reduce<unknown>(
    (each, key) =>
      typeof each === 'object' && each !== null && Object.hasOwn(each, key)
        ? (each as Readonly<Record<Key, unknown>>)[key]
        : undefined,
    value,
  )

/** A copy with `set` at `keys`; what is no object on the way is left for the schema to report. */
export const withValue = (value: unknown, keys: readonly Key[], set: unknown): unknown => {
  const [key, ...rest] = keys
  if (key === undefined) return set
  if (value != null && (typeof value !== 'object' || Array.isArray(value))) return value
  const fields = (value ?? {}) as Readonly<Record<Key, unknown>>
  return { ...fields, [key]: withValue(fields[key], rest, set) }
}
