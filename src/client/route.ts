// A route as the client needs it: its method and path as text, its types from the contract. Contracts are
// imported as types only, so that a command starts without loading zod.
import type { BodyOf, Contract, ParamsOf, QueryOf, ReplyOf } from '../base/contract/schema.ts'

export type Route<C extends Contract> = {
  readonly method: C['method']
  readonly path: C['path']
  /** Never there: carries the type. */
  readonly contract?: C
}

export const route = <C extends Contract>(method: C['method'], path: C['path']): Route<C> => ({
  method,
  path,
})

/** The same route of a component: `below('agents/coder', status)`. */
export const below = <C extends Contract>(id: string, { method, path }: Route<C>): Route<C> => ({
  method,
  path: `/${id}${path}` as C['path'],
})

/** A part that may be empty may be left out. */
type Part<Name extends string, T> = [T] extends [undefined]
  ? unknown
  : Record<string, never> extends T
    ? { readonly [N in Name]?: T }
    : { readonly [N in Name]: T }
export type Input<C extends Contract> = Part<'params', ParamsOf<C>> &
  Part<'query', QueryOf<C>> &
  Part<'body', BodyOf<C>>

export type Reply<C extends Contract> = ReplyOf<C>

export type Loose = {
  readonly params?: Readonly<Record<string, string | number>>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
}

/** The path with its parameters filled in, and the query. */
export const address = (path: string, { params = {}, query = {} }: Loose): string => {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const asked = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams(asked.map(([name, value]): [string, string] => [name, String(value)]))
  return asked.length === 0 ? filled : `${filled}?${search}`
}
