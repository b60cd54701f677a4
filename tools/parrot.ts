// The floors of the hook rows: a bare server that says again what it was told; one that first asks another, as a keeper
// asks its host; or a route that does the same in the host's own way, with its door, its table and its checks.
// `parrot <socket to listen on> | parrot --before <socket to ask> | parrot --route <socket to listen on>`
import { Agent, createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as z from 'zod'
import { contract } from '../src/base/contract/schema.ts'
import type { Log } from '../src/base/log/open.ts'
import { answering, answeringPlain } from '../src/host/http/exchange.ts'
import type { App } from '../src/host/http/find.ts'
import { listenSocket } from '../src/host/http/listen.ts'
import { route } from '../src/host/http/route.ts'
import { tableOf } from '../src/host/http/router.ts'

const [first = '', asked = ''] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true })

const textOf = async (message: IncomingMessage): Promise<Buffer> => {
  const pieces: Buffer[] = []
  for await (const piece of message as AsyncIterable<Buffer>) pieces.push(piece)
  return Buffer.concat(pieces)
}

const other = (socketPath: string, body: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const headers = { host: 'localhost', 'content-length': body.length }
    const question = request({ socketPath, path: '/', method: 'POST', headers, agent }, (answer) =>
      textOf(answer).then(resolve, reject),
    )
    question.once('error', reject)
    question.end(body)
  })

const listenBare = (): void => {
  const server = createServer(async (message, response) => {
    const told = await textOf(message)
    const body = first === '--before' ? await other(asked, told) : told
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
  })
  server.keepAliveTimeout = 0
  if (first !== '--before') createServer((...both) => void server.emit('request', ...both)).listen(first)
  server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
}

const listenRoute = async (): Promise<void> => {
  const say = (): void => {}
  const log: Log = { debug: say, info: say, warn: say, error: say, recent: () => [], close: say }
  const echo = contract({
    method: 'POST',
    path: '/hook',
    summary: 'Says what it was told.',
    body: z.looseObject({}),
    reply: z.unknown(),
  })
  const table = tableOf([route(echo, ({ body }) => body, { socket: true, plain: () => true })])
  const app: App = {
    log,
    door: { kind: 'socket' },
    isToken: () => false,
    locate: (rest) => ({ table, rest }),
  }
  await listenSocket(asked, { log, listener: answering(app), plain: answeringPlain(app) })
  console.log(0)
}

if (first === '--route') await listenRoute()
else listenBare()
process.once('SIGTERM', () => process.exit(0))
