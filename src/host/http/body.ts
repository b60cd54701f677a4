// A request's body: bounded, UTF-8, JSON, an object. Everything else is refused with the reason.
import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { fail, failure } from '../../base/error/fail.ts'
import { oneLine } from '../../base/text/rules.ts'
import { brokenAt, depthOf, inheritsIn, repeatedIn, unwritableIn } from './json/rules.ts'

const depthLimit = 64
const jsonType = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i

/** What is beyond the limit is thrown away as it comes, so that the sender can still read the answer. */
const bytesOf = (request: IncomingMessage, limit: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const tooLarge = (): void => {
      request.off('data', take)
      request.resume()
      reject(failure('body_too_large', { limit }))
    }
    const take = (chunk: Buffer): void => {
      size += chunk.length
      chunks.push(chunk)
      if (size > limit) tooLarge()
    }
    if (Number(request.headers['content-length'] ?? 0) > limit) return tooLarge()
    request.on('data', take)
    request.once('end', () => resolve(Buffer.concat(chunks, size)))
    request.once('error', reject)
  })

const textOf = (bytes: Buffer): string => {
  if (!isUtf8(bytes)) return fail('validation_error', { what: 'The request is not valid UTF-8.' })
  // As a decoder would: what some programs put before a text is no part of it.
  const text = bytes.toString('utf8')
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    // V8's own words would repeat parts of the body, which may be secret.
    const at = brokenAt(text)
    const where = at === text.length ? 'it ends too soon' : `it is broken at offset ${at}`
    return fail('validation_error', { what: `The request is not JSON: ${where}.`, cause })
  }
}

const checkType = ({ headers }: IncomingMessage): void => {
  const { 'content-type': type, 'content-encoding': encoding = 'identity' } = headers
  if (type === undefined || !jsonType.test(type))
    fail('unsupported_media_type', { type: oneLine(type ?? 'nothing', 80) })
  if (encoding !== 'identity') fail('unsupported_media_type', { type: `${oneLine(encoding, 40)}-encoded` })
}

/** What parses but does not say one thing, or says what can be kept nowhere. */
const refuseOdd = (text: string): void => {
  const repeated = repeatedIn(text)
  if (repeated !== undefined)
    fail('validation_error', { what: `The JSON has a duplicate field: ${oneLine(repeated, 80)}.` })
  if (inheritsIn(text)) fail('validation_error', { what: 'The JSON has the unknown field __proto__.' })
  const unwritable = unwritableIn(text)
  if (unwritable !== undefined)
    fail('validation_error', {
      what: `The JSON has a character at ${oneLine(JSON.stringify(unwritable), 80)} that is none: NUL, or half of a surrogate pair.`,
    })
}

const announces = /^(content-length|transfer-encoding)$/i

/** Most requests announce no body; Node's own table of headers is made only where one is. */
export const isEmpty = (request: IncomingMessage): boolean =>
  !request.rawHeaders.some((name, at) => at % 2 === 0 && name.length > 13 && announces.test(name)) ||
  (request.headers['transfer-encoding'] === undefined && Number(request.headers['content-length'] ?? 0) === 0)

/**
 * No body at all is an empty object: most commands need to say nothing. `quoted`: it carries what an agent or
 * a tool wrote, which may have any character.
 */
export const bodyOf = async (request: IncomingMessage, limit: number, quoted = false): Promise<object> => {
  const bytes = await bytesOf(request, limit)
  if (bytes.length === 0) return {}
  checkType(request)
  return jsonIn(bytes, quoted)
}

export const jsonIn = (bytes: Buffer, quoted: boolean): object => {
  const text = textOf(bytes)
  if (depthOf(text) > depthLimit)
    fail('validation_error', { what: `The JSON is nested deeper than ${depthLimit} levels.` })
  const value = parsed(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    fail('validation_error', { what: 'The JSON must be an object: {…}.' })
  if (!quoted) refuseOdd(text)
  return value as object
}
