// One request, from the door to the answer: admit, find, read, check, handle, answer.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type * as z from 'zod'
import { AgencyError, fail, failure } from '../../base/error/fail.ts'
import type { Log } from '../../base/log/open.ts'
import { check, sentence } from '../../base/problem/rules.ts'
import { oneLine } from '../../base/text/rules.ts'
import { answer, answerError } from './answer.ts'
import { bodyOf, isEmpty } from './body.ts'
import { type Exchange, nothing, type Pour, type Route } from './route.ts'
import type { Found, Table } from './router.ts'
import { type Door, headsOf, presented, refusalOf, segmentsOf } from './rules.ts'

/** Prompts of some hundred kilobytes are legal; who needs more says so in the route. */
export const bodyLimit = 1024 * 1024

export type App = {
  readonly door: Door
  readonly log: Log
  readonly isToken: (text: string) => boolean
  /** The table for a path, and what is left of the path for it. */
  readonly locate: (segments: readonly string[]) => { table: Table; rest: readonly string[] } | undefined
}

/** Whether the caller is known; throws for one who may not even ask. */
const admit = ({ door, isToken }: App, request: IncomingMessage): boolean => {
  const heads = headsOf(request.rawHeaders)
  const refusal = refusalOf(heads, door)
  if (refusal?.code === 'misdirected') fail('misdirected', { host: refusal.host, expected: refusal.expected })
  if (refusal?.code === 'foreign_page') fail('foreign_page', { header: refusal.header })
  if (refusal) fail('unauthorized', {})
  if (door.kind === 'socket') return true
  const token = presented(heads)
  if (token === undefined) return false
  return isToken(token) || fail('unauthorized', {})
}

const notFound = (path: string): never =>
  fail('not_found', {
    what: `${oneLine(JSON.stringify(path), 200)} here`,
    see: 'Type `agency list` to see what there is.',
  })

const admitted = ({ door }: App, found: Found): Found =>
  found && 'route' in found && found.route.extra.socket && door.kind !== 'socket' ? undefined : found

const find = (app: App, request: IncomingMessage, path: string, known: boolean) => {
  const segments =
    segmentsOf(path) ??
    fail('validation_error', { what: 'The path of the request is not a path, or a % in it is broken.' })
  const place = app.locate(segments)
  const found = admitted(app, place?.table.find(request.method ?? '', place.rest))
  // Without the token nobody learns which paths there are.
  if (!known && !(found && 'route' in found && found.route.extra.open)) fail('unauthorized', {})
  if (!place) return notFound(path)
  const needsReady = found ? 'route' in found && found.route.extra.work : !place.table.whole()
  const closed = needsReady ? place.table.closed() : undefined
  if (closed) throw closed
  if (!found) return notFound(path)
  if ('route' in found) return found
  const { method = '' } = request
  return fail('method_not_allowed', { path, method, allowed: found.allowed.join(', ') })
}

const queryOf = (text: string): Record<string, string> => {
  const query: Record<string, string> = Object.create(null)
  for (const [name, value] of new URLSearchParams(text)) {
    if (name in query)
      fail('validation_error', { what: `${oneLine(name, 80)} is given twice in the address.` })
    query[name] = value
  }
  return { ...query }
}

/** Most requests bring nothing where nothing is expected; that needs no asking. */
const isNothing = (schema: z.ZodObject, input: unknown): boolean =>
  schema === nothing && typeof input === 'object' && input !== null && Object.keys(input).length === 0

/** Who sees only the message should not correct one mistake after the other. */
const inMessage = 3

const checked = (schema: z.ZodObject, input: unknown): never => {
  if (isNothing(schema, input)) return input as never
  const result = check(schema, input)
  if ('value' in result) return result.value as never
  const problems = result.issues.map(sentence)
  const more = problems.length - inMessage
  const told = [...problems.slice(0, inMessage), ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
  return fail('validation_error', { what: `${told}.`, ...(problems.length > 1 && { problems }) })
}

const paramsOf = (route: Route, params: Readonly<Record<string, string>>, path: string): never => {
  if (isNothing(route.params, params)) return params as never
  const result = check(route.params, params)
  // A name that cannot exist is just a thing that does not exist.
  return 'value' in result ? (result.value as never) : notFound(path)
}

/** The order is the policy: nothing of a request is read, found or parsed for a caller who may not ask. */
const converse = async (app: App, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const known = admit(app, request)
  const { url = '/' } = request
  const mark = url.indexOf('?')
  const path = mark === -1 ? url : url.slice(0, mark)
  const { route, params } = find(app, request, path, known)
  const { contract, extra } = route
  const given = isEmpty(request) ? {} : await bodyOf(request, extra.limit ?? bodyLimit, extra.socket === true)
  const exchange: Exchange<typeof contract> = {
    params: paramsOf(route, params, path),
    query: checked(route.query, mark === -1 ? {} : queryOf(url.slice(mark + 1))),
    body: checked(route.body, given),
    known,
    // Asked for by few, and costly to make.
    get headers() {
      return request.headers
    },
  }
  const handled = route.handle(exchange)
  const result = handled instanceof Promise ? await handled : handled
  if (contract.reply === 'stream') await (result as Pour)(response)
  else if (result === undefined) response.writeHead(204).end()
  else answer(response, contract.status ?? 200, result)
}

/** The caller learns that it was our mistake, the log learns which: inner words may hold paths and secrets. */
const internal = (app: App, request: IncomingMessage, cause: unknown): AgencyError => {
  const stack = cause instanceof Error ? cause.stack : String(cause)
  app.log.error('a request met a mistake in agency', { method: request.method, url: request.url, stack })
  return failure('internal', { what: 'the details are in agency.log', cause })
}

export const answering =
  (app: App): RequestListener =>
  (request, response) => {
    converse(app, request, response).catch((error: unknown) => {
      // The caller hung up in the middle of its request: nobody is left to tell.
      if (request.errored && !request.complete) return
      answerError(response, error instanceof AgencyError ? error : internal(app, request, error))
    })
  }
