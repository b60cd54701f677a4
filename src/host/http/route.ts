// A contract with the function that answers it.
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import * as z from 'zod'
import type { BodyOf, Contract, ParamsOf, QueryOf, ReplyOf } from '../../base/contract/schema.ts'

export type Exchange<C extends Contract> = {
  readonly params: ParamsOf<C>
  readonly query: QueryOf<C>
  readonly body: BodyOf<C>
  /** Came by the socket, or showed the token. False only where a route is `open`. */
  readonly known: boolean
  readonly headers: IncomingHttpHeaders
}

/** Writes the response itself, until it is whole or its reader is gone. */
export type Pour = (response: ServerResponse) => Promise<void>

type Answer<C extends Contract> = C['reply'] extends 'stream' ? Pour : ReplyOf<C>

export type Extra = {
  /** Answers callers without the token too. */
  readonly open?: true
  /** Brings new work: refused while starting and while draining. */
  readonly work?: true
  /** Only by the unix socket: elsewhere there is no such route. */
  readonly socket?: true
  /** Whether this body, as it is, is one that the contract takes; `false` = the contract is asked. */
  readonly plain?: (body: object) => boolean
  /** The most bytes a body may have. */
  readonly limit?: number
}

export type Route = {
  readonly contract: Contract
  readonly extra: Extra
  readonly params: z.ZodObject
  readonly query: z.ZodObject
  readonly body: z.ZodObject
  readonly handle: (exchange: Exchange<Contract>) => unknown
}

/** For the parts of a request that a contract does not name. */
export const nothing: z.ZodObject = z.strictObject({})
/** What most requests bring for them. */
export const none: Readonly<Record<string, never>> = Object.freeze({})

/** Strict whatever the contract says: a mistyped field must not be ignored silently. */
const strict = (schema?: z.ZodObject): z.ZodObject => schema?.strict() ?? nothing

export const route = <C extends Contract>(
  contract: C,
  handle: (exchange: Exchange<C>) => Answer<C> | Promise<Answer<C>>,
  extra: Extra = {},
): Route => ({
  contract,
  extra,
  params: strict(contract.params),
  query: strict(contract.query),
  body: strict(contract.body),
  handle: handle as Route['handle'],
})
