// A route as data: the router, the typed client, OpenAPI and the reference pages all read this.
import type * as z from 'zod'
import type { Code } from '../error/schema.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export type Contract = {
  readonly method: Method
  /** Segments that start with `:` are parameters, each described in `params`. */
  readonly path: `/${string}`
  readonly summary: string
  readonly params?: z.ZodObject
  readonly query?: z.ZodObject
  readonly body?: z.ZodObject
  /** `stream` = server-sent events. */
  readonly reply: z.ZodType | 'stream'
  readonly status?: 200 | 201 | 202
  /** Codes this route answers beside those every route may (validation_error, not_found, …). */
  readonly errors?: readonly Code[]
}

export const contract = <const C extends Contract>(route: C): C => route

type Of<Schema> = Schema extends z.ZodType ? z.infer<Schema> : undefined
export type ParamsOf<C extends Contract> = Of<C['params']>
export type QueryOf<C extends Contract> = Of<C['query']>
export type BodyOf<C extends Contract> = Of<C['body']>
export type ReplyOf<C extends Contract> = C['reply'] extends z.ZodType ? z.infer<C['reply']> : never
