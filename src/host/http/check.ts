// The parts of a request against what the contract says of them.
import type * as z from 'zod'
import { fail } from '../../base/error/fail.ts'
import { check, sentence } from '../../base/problem/rules.ts'
import { oneLine } from '../../base/text/rules.ts'
import { none, nothing, type Route } from './route.ts'

/** `member`: the path of a component that is not there. */
export const notFound = (path: string, member?: readonly string[]): never => {
  const [place = '', name] = member ?? []
  const what =
    name === undefined
      ? `${oneLine(JSON.stringify(path), 200)} here`
      : `${place.replace(/s$/, '')} ${oneLine(JSON.stringify(name), 200)}`
  return fail('not_found', { what, see: 'Type `agency list` to see what there is.' })
}

export const queryOf = (text: string): Readonly<Record<string, string>> => {
  if (text === '') return none
  const query: Record<string, string> = Object.create(null)
  for (const [name, value] of new URLSearchParams(text)) {
    if (name in query)
      fail('validation_error', { what: `${oneLine(name, 80)} is given twice in the address.` })
    query[name] = value
  }
  return { ...query }
}

/** Most requests bring nothing where nothing is expected; that needs no asking. */
const isNothing = (schema: z.ZodObject, input: object): boolean =>
  schema === nothing && (input === none || Object.keys(input).length === 0)

/** Who sees only the message should not correct one mistake after the other. */
const inMessage = 3

export const checked = (schema: z.ZodObject, input: object): never => {
  if (isNothing(schema, input)) return input as never
  const result = check(schema, input)
  if ('value' in result) return result.value as never
  const problems = result.issues.map(sentence)
  const more = problems.length - inMessage
  const told = [...problems.slice(0, inMessage), ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
  return fail('validation_error', { what: `${told}.`, ...(problems.length > 1 && { problems }) })
}

export const paramsOf = (route: Route, params: Readonly<Record<string, string>>, path: string): never => {
  if (isNothing(route.params, params)) return params as never
  const result = check(route.params, params)
  // A name that cannot exist is just a thing that does not exist.
  return 'value' in result ? (result.value as never) : notFound(path)
}
