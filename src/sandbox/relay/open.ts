// The way out for an agent without a network of its own: a proxy for the hosts of its role's list, and the model,
// to which it adds the key that the agent does not have. It runs outside the walls and is loaded only for them.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { reachable } from './address.ts'
import { headsFor, judge, modelPath, modelPrefix, type Target } from './rules.ts'
import type { Model, RelayOrder } from './schema.ts'

const connectMs = 30_000
/** At once; more means that something runs wild. */
const most = 512

export type Relay = { close(): void }

const refuse = (response: ServerResponse, status: number, why: string): void => {
  if (response.headersSent) return void response.destroy()
  const error = { type: 'error', error: { type: 'agency_sandbox', message: `agency's sandbox: ${why}` } }
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' })
  response.end(JSON.stringify(error))
}

// Loaded here and not above: a keeper without walls must not carry them.
const network = async () => {
  const [net, dns, http, https, tls] = await Promise.all([
    import('node:net'),
    import('node:dns/promises'),
    import('node:http'),
    import('node:https'),
    import('node:tls'),
  ])
  return { net, dns, http, https, tls }
}
type Network = Awaited<ReturnType<typeof network>>

/** The address is resolved here and connected to as it was judged: another answer never counts. */
const addressOf = async ({ dns }: Network, target: Target): Promise<string> => {
  const found = await dns.lookup(target.host, { all: true })
  const address = reachable(found, target)
  if (address === undefined) throw new Error('it leads to a private network')
  return address
}

const words = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException
  return code ?? message
}

const tunnel = async (
  on: Network,
  order: RelayOrder,
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
) => {
  const deny = (status: string, why: string): void => {
    client.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: text/plain\r\n\r\n${why}\n`)
  }
  const judged = judge(request.url ?? '', order.hosts)
  if ('refused' in judged) return deny('403 Forbidden', `agency's sandbox: ${judged.refused}`)
  const { target } = judged
  const address = await addressOf(on, target).catch((error) => error as Error)
  if (address instanceof Error) return deny('502 Bad Gateway', `agency's sandbox: ${words(address)}`)
  const server = on.net.connect({ host: address, port: target.port, timeout: connectMs })
  server.once('timeout', () => server.destroy(new Error('it does not answer')))
  server.once('error', (error) => deny('502 Bad Gateway', `agency's sandbox: ${words(error)}`))
  client.once('error', () => server.destroy())
  client.once('close', () => server.destroy())
  server.once('connect', () => {
    server.setTimeout(0)
    server.removeAllListeners('error')
    server.once('error', () => client.destroy())
    server.once('close', () => client.destroy())
    client.write('HTTP/1.1 200 Connection established\r\n\r\n')
    if (head.length > 0) server.write(head)
    client.pipe(server)
    server.pipe(client)
  })
}

type Onward = {
  readonly url: URL
  readonly heads: Record<string, string | string[]>
  readonly address?: string
  readonly ca?: string | undefined
}

const onward = (
  on: Network,
  { url, heads, address, ca }: Onward,
  request: IncomingMessage,
  response: ServerResponse,
) => {
  const { request: ask } = url.protocol === 'https:' ? on.https : on.http
  const sent = ask(
    url,
    {
      method: request.method ?? 'GET',
      headers: { ...heads, host: url.host },
      ...(address === undefined ? {} : { host: address }),
      ...(ca === undefined ? {} : { ca: [...on.tls.rootCertificates, ca] }),
    },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, headsFor(answer.headers, {}))
      answer.pipe(response)
      answer.once('error', () => response.destroy())
    },
  )
  sent.once('error', (error) => refuse(response, 502, words(error)))
  // The agent may break off at any moment; what was on its way to it is dropped.
  response.on('error', () => sent.destroy())
  response.once('close', () => sent.destroy())
  request.pipe(sent)
}

const toModel = (
  on: Network,
  model: Model | undefined,
  request: IncomingMessage,
  response: ServerResponse,
) => {
  const path = modelPath(request.url ?? '')
  if (path === undefined || model === undefined)
    return refuse(response, 404, 'there is nothing of the model here')
  const url = new URL(model.base.replace(/\/+$/, '') + path)
  onward(on, { url, heads: headsFor(request.headers, model.headers), ca: model.ca }, request, response)
}

const toHost = async (on: Network, order: RelayOrder, request: IncomingMessage, response: ServerResponse) => {
  const [, authority = ''] = /^http:\/\/([^/?#]*)/i.exec(request.url ?? '') ?? []
  const judged = judge(authority, order.hosts, 80)
  if ('refused' in judged) return refuse(response, 403, judged.refused)
  const address = await addressOf(on, judged.target)
  const { authorization } = request.headers
  const heads = headsFor(request.headers, authorization === undefined ? {} : { authorization })
  onward(on, { url: new URL(request.url ?? ''), heads, address }, request, response)
}

export const openRelay = async (order: RelayOrder): Promise<Relay> => {
  const on = await network()
  const server: Server = on.http.createServer((request, response) => {
    if (request.url?.startsWith(`${modelPrefix}/`)) return toModel(on, order.model, request, response)
    toHost(on, order, request, response).catch((error) => refuse(response, 502, words(error)))
  })
  server.maxConnections = most
  server.on('connect', (request, client, head) => {
    // Broken off by the agent, before or after it was judged: there is nobody left to tell.
    client.on('error', () => client.destroy())
    tunnel(on, order, request, client, head).catch(() => client.destroy())
  })
  // A model may think for an hour before its first word.
  server.requestTimeout = 0
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(order.socket, resolve)
  })
  return {
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
