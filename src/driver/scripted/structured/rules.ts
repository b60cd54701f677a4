// `--json-schema`: an answer in a shape, given through a tool of its own.
type Json = Record<string, unknown>

export const tool = 'StructuredOutput'
export const provided = 'Structured output provided successfully'
export const demand =
  '[structured-output-enforce] You MUST call the StructuredOutput tool to complete this request. Call this tool now.'

type Shape = {
  type?: string
  enum?: unknown[]
  required?: string[]
  properties?: Record<string, Shape>
  additionalProperties?: boolean
}

const typeOf = (value: unknown): string =>
  Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value

const find = (shape: Shape, value: unknown, at: string): string | undefined => {
  if (shape.type !== undefined && typeOf(value) !== shape.type)
    return `${at || 'root'}: must be ${shape.type}`
  if (shape.enum && !shape.enum.includes(value))
    return `${at}: must be equal to one of the allowed values: ${JSON.stringify(shape.enum)}`
  if (typeOf(value) !== 'object') return undefined
  const table = value as Json
  const missing = (shape.required ?? []).find((name) => !Object.hasOwn(table, name))
  if (missing !== undefined) return `${at || 'root'}: must have required property '${missing}'`
  for (const [name, one] of Object.entries(table)) {
    const inner = shape.properties?.[name]
    if (inner === undefined && shape.additionalProperties === false)
      return `${at || 'root'}: must NOT have additional properties ('${name}' is not allowed)`
    const wrong = inner && find(inner, one, `${at}/${name}`)
    if (wrong !== undefined) return wrong
  }
  return undefined
}

/** Why the answer does not fit; of JSON Schema only what our own shapes use. */
export const mismatch = (shape: string, value: unknown): string | undefined => {
  const wrong = find(JSON.parse(shape) as Shape, value, '')
  return wrong === undefined ? undefined : `Output does not match required schema: ${wrong}`
}
