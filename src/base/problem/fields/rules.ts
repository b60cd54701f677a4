// Which fields a schema knows at a path, for "did you mean".
import type * as z from 'zod'

type Schema = z.core.$ZodType

const defOf = (schema: Schema) => (schema as z.core.$ZodTypes)._zod.def

/** The schemas behind wrappers (optional, default, …) and the branches of a union. */
const bare = (schema: Schema): readonly Schema[] => {
  const def = defOf(schema)
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'catch':
    case 'readonly':
    case 'nonoptional':
      return bare(def.innerType)
    case 'pipe':
      return bare(def.in)
    case 'lazy':
      return bare(def.getter())
    case 'union':
      return def.options.flatMap(bare)
    case 'intersection':
      return [def.left, def.right].flatMap(bare)
    default:
      return [schema]
  }
}

const step = (schema: Schema, key: string | number): readonly Schema[] => {
  const def = defOf(schema)
  if (def.type === 'object') {
    const field = Object.hasOwn(def.shape, key) ? def.shape[key] : undefined
    return field === undefined ? [] : bare(field)
  }
  if (def.type === 'array') return bare(def.element)
  if (def.type === 'record') return bare(def.valueType)
  if (def.type === 'tuple') return def.items.flatMap(bare)
  return []
}

export const fieldsAt = (schema: Schema, keys: readonly (string | number)[]): readonly string[] => {
  const there = keys.reduce((schemas, key) => schemas.flatMap((each) => step(each, key)), bare(schema))
  const fields = there.flatMap((each) => {
    const def = defOf(each)
    return def.type === 'object' ? Object.keys(def.shape) : []
  })
  return [...new Set(fields)]
}
