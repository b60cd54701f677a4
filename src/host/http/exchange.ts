// One request, from the door to the answer: admit, find, read, check, handle, answer.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Contract } from '../../base/contract/schema.ts'
import { AgencyError, failure } from '../../base/error/fail.ts'
import { answer, answerError } from './answer.ts'
import { bodyOf, isEmpty } from './body.ts'
import { checked, paramsOf, queryOf } from './check.ts'
import { type App, admit, find } from './find.ts'
import { none, type Pour } from './route.ts'
import type { Match } from './router.ts'

/** Prompts of some hundred kilobytes are legal; who needs more says so in the route. */
export const bodyLimit = 1024 * 1024

/** Undefined where the answer is there at once, as most are: those are spared the cost of promises. */
type Waiting = Promise<void> | undefined

const reply = (response: ServerResponse, { reply, status = 200 }: Contract, result: unknown): Waiting => {
  if (reply === 'stream') return (result as Pour)(response)
  if (result === undefined) response.writeHead(204).end()
  else answer(response, status, result)
  return undefined
}

type Asked = Match & { readonly path: string; readonly query: string; readonly known: boolean }

const respond = (
  request: IncomingMessage,
  response: ServerResponse,
  asked: Asked,
  given: object,
): Waiting => {
  const { route, params, path, query, known } = asked
  const { contract } = route
  const result = route.handle({
    params: paramsOf(route, params, path),
    query: checked(route.query, queryOf(query)),
    body: route.extra.plain?.(given) ? (given as never) : checked(route.body, given),
    known,
    // Never an accessor here: each would be a hidden class of its own, which only a full collection removes.
    headers: request.headers,
  })
  return result instanceof Promise
    ? result.then((late) => reply(response, contract, late))
    : reply(response, contract, result)
}

/** The order is the policy: nothing of a request is read, found or parsed for a caller who may not ask. */
const converse = (app: App, request: IncomingMessage, response: ServerResponse): Waiting => {
  const known = admit(app, request)
  const { url = '/' } = request
  const mark = url.indexOf('?')
  const path = mark === -1 ? url : url.slice(0, mark)
  const { route, params } = find(app, request, path, known)
  const asked = { route, params, path, query: mark === -1 ? '' : url.slice(mark + 1), known }
  if (isEmpty(request)) return respond(request, response, asked, none)
  const { limit = bodyLimit, socket = false } = route.extra
  return bodyOf(request, limit, socket).then((given) => respond(request, response, asked, given))
}

/** The caller learns that it was our mistake, the log learns which: inner words may hold paths and secrets. */
const internal = (app: App, request: IncomingMessage, cause: unknown): AgencyError => {
  const stack = cause instanceof Error ? cause.stack : String(cause)
  app.log.error('a request met a mistake in agency', { method: request.method, url: request.url, stack })
  return failure('internal', { what: 'the details are in agency.log', cause })
}

const refuse = (app: App, request: IncomingMessage, response: ServerResponse, error: unknown): void => {
  // The caller hung up in the middle of its request: nobody is left to tell.
  if (request.errored && !request.complete) return
  answerError(response, error instanceof AgencyError ? error : internal(app, request, error))
}

export const answering =
  (app: App): RequestListener =>
  (request, response) => {
    try {
      converse(app, request, response)?.catch((error: unknown) => refuse(app, request, response, error))
    } catch (error) {
      refuse(app, request, response, error)
    }
  }
