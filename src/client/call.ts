// Asks a host. What the host refuses comes out as the same error it raised.
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { Contract } from '../base/contract/schema.ts'
import { AgencyError, failure } from '../base/error/fail.ts'
import { type Code, catalogue } from '../base/error/schema.ts'
import type { Envelope } from '../host/api.ts'
import { address, type Input, type Loose, type Reply, type Route } from './route.ts'

/** By the socket one is known; by a port the token proves it. */
export type Client = { readonly socket: string } | { readonly port: number; readonly token?: string }

export type Sent = {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

const place = (client: Client) =>
  'socket' in client
    ? { socketPath: client.socket, headers: { host: 'localhost' } }
    : {
        host: '127.0.0.1',
        port: client.port,
        headers: {
          host: `127.0.0.1:${client.port}`,
          ...(client.token !== undefined && { authorization: `Bearer ${client.token}` }),
        },
      }

/** The answer once its head is there. Rejects with the system's error if the connection breaks before. */
export const open = (client: Client, sent: Sent): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const text = sent.body === undefined ? undefined : JSON.stringify(sent.body)
    const { headers, ...where } = place(client)
    const request = httpRequest({
      ...where,
      method: sent.method,
      path: sent.path,
      // A connection of its own: one that idled may be closed by the host just as it is used again.
      agent: false,
      headers: {
        ...headers,
        ...sent.headers,
        ...(text !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
        }),
      },
      ...(sent.signal && { signal: sent.signal }),
    })
    request.once('response', resolve)
    request.once('error', reject)
    request.end(text)
  })

const textOf = async (response: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

/** A code that this version does not know keeps the host's words. */
const errorOf = (status: number, text: string): AgencyError => {
  try {
    const { error, message, safe, next, details = {}, problems = [] } = JSON.parse(text) as Envelope
    const exit = Object.hasOwn(catalogue, error) ? catalogue[error as Code].exit : 1
    return new AgencyError(error as Code, { message, safe, next }, status, exit, details, problems)
  } catch (cause) {
    return failure('connection_lost', { what: `status ${status} without words`, cause })
  }
}

/** Reads an answer whole; throws what the host refused with. */
export const settle = async (response: IncomingMessage): Promise<unknown> => {
  const text = await textOf(response)
  const { statusCode = 0 } = response
  if (statusCode >= 400) throw errorOf(statusCode, text)
  return JSON.parse(text)
}

/**
 * The reply is taken as the contract says it: host and client are one package, and checking it here would load
 * zod into every command. An answer that is no JSON at all is told as a broken connection.
 */
export const call = async <C extends Contract>(
  client: Client,
  route: Route<C>,
  input: Input<C>,
  signal?: AbortSignal,
): Promise<Reply<C>> => {
  const { method, path } = route
  const given = input as Loose
  try {
    const response = await open(client, { method, path: address(path, given), body: given.body, signal })
    return (await settle(response)) as Reply<C>
  } catch (error) {
    const { code, message, name } = error as NodeJS.ErrnoException
    if (error instanceof AgencyError || name === 'AbortError') throw error
    throw failure('connection_lost', { what: code ?? message, cause: error })
  }
}
