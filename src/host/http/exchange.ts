// One request, from the door to the answer: admit, find, read, check, handle, answer.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Contract } from '../../base/contract/schema.ts'
import { AgencyError, failure } from '../../base/error/fail.ts'
import type { Answers, Question } from '../../base/http/plain.ts'
import { answer, answerError, errorText, textOf } from './answer.ts'
import { bodyOf, isEmpty, jsonIn } from './body.ts'
import { checked, paramsOf, queryOf } from './check.ts'
import { type App, admit, find } from './find.ts'
import { none, type Pour, type Route } from './route.ts'
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
const internal = (
  app: App,
  request: Pick<IncomingMessage, 'method' | 'url'>,
  cause: unknown,
): AgencyError => {
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

/** Plain JSON is announced once, and by nothing else. */
const isJson = (raw: Question['raw']): boolean => {
  const about = raw.flatMap((name, at) =>
    at % 2 === 0 && /^content-(type|encoding)$/i.test(name) ? [name, raw[at + 1]] : [],
  )
  return about.length === 2 && about[1] === 'application/json'
}

type Prepared = { readonly route: Route; readonly value: object; readonly known: boolean }

const preparedFor = (app: App, { path, raw, body }: Question): Prepared | undefined => {
  try {
    const known = admit(app, { rawHeaders: raw })
    const { route } = find(app, { method: 'POST' }, path, known)
    const { plain, limit = bodyLimit, socket = false } = route.extra
    if (plain === undefined || body.length > limit || !isJson(raw)) return undefined
    const value = jsonIn(body, socket)
    return plain(value) ? { route, value, known } : undefined
  } catch {
    // Whatever is wrong with it is found and said on the usual way.
    return undefined
  }
}

/** A request that came plain and in one piece, for a route that takes its body as it is: in the same order. */
export const answeringPlain =
  (app: App): Answers =>
  (question, { reply }) => {
    const prepared = preparedFor(app, question)
    if (prepared === undefined) return false
    const { route, value: body, known } = prepared
    const handle = async (): Promise<unknown> =>
      route.handle({ params: none, query: none, body: body as never, known, headers: {} })
    handle()
      .then((result) => textOf(route.contract.status ?? 200, result))
      .catch((error: unknown) => {
        const asked = { method: 'POST', url: question.path }
        return errorText(error instanceof AgencyError ? error : internal(app, asked, error))
      })
      .then(reply)
    return true
  }
