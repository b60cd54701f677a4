// How every answer leaves: JSON, never cached, errors in one envelope.
import { type ServerResponse, STATUS_CODES } from 'node:http'
import { type AgencyError, failure } from '../../base/error/fail.ts'
import type { Envelope } from '../api.ts'

const headers = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

const flat = Object.entries(headers).flat()

/** Details that programs also find beside the error, where tasks have always had them. */
const lifted = ['current_task', 'task_id', 'final_state'] as const

const liftedOf = (details: AgencyError['details']): Partial<Envelope> =>
  Object.fromEntries(lifted.filter((name) => name in details).map((name) => [name, details[name]]))

export const envelopeOf = ({ code, words, details, problems }: AgencyError): Envelope => ({
  error: code,
  ...words,
  ...(Object.keys(details).length > 0 && { details, ...liftedOf(details) }),
  ...(problems.length > 0 && { problems }),
})

export const answer = (
  response: ServerResponse,
  status: number,
  value: unknown,
  more: Readonly<Record<string, string>> = {},
): void => {
  // The caller may be gone, or a stream may have begun: then there is nobody to tell.
  if (response.headersSent || response.destroyed) return
  const text = JSON.stringify(value)
  // A flat list: the fastest way into node:http, and this is on every request's way.
  const list = [...flat, 'content-length', String(Buffer.byteLength(text))]
  for (const name in more) list.push(name, more[name] ?? '')
  response.writeHead(status, list)
  response.end(text)
}

const headsOf = (error: AgencyError): Readonly<Record<string, string>> => ({
  ...(error.code === 'method_not_allowed' && { allow: String(error.details.allowed) }),
  ...(error.code === 'unauthorized' && { 'www-authenticate': 'Bearer' }),
  ...(error.status === 503 && { 'retry-after': String(error.details.retry_after ?? 1) }),
})

export const answerError = (response: ServerResponse, error: AgencyError): void =>
  answer(response, error.status, envelopeOf(error), headsOf(error))

const fixed = Object.entries(headers)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('')

/** The same as text, for a line that Node does not speak HTTP on; without a value it is 204. */
export const textOf = (
  status: number,
  value: unknown,
  more: Readonly<Record<string, string>> = {},
): string => {
  if (value === undefined) return 'HTTP/1.1 204 No Content\r\n\r\n'
  const body = JSON.stringify(value)
  const own = Object.entries(more).map(([name, text]) => `${name}: ${text}\r\n`)
  const start = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${fixed}${own.join('')}`
  return `${start}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

export const errorText = (error: AgencyError): string =>
  textOf(error.status, envelopeOf(error), headsOf(error))

export type RawCode = 'bad_request' | 'request_timeout' | 'headers_too_large'

/** For a connection that never became a request. */
export const rawAnswer = (code: RawCode, what: string): string => {
  const error = code === 'bad_request' ? failure(code, { what }) : failure(code, {})
  const text = JSON.stringify(envelopeOf(error))
  return [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    'connection: close',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(text)}`,
    '',
    text,
  ].join('\r\n')
}
