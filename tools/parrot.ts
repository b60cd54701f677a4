// The floors of the hook rows: a bare server that says again what it was told; or one that first asks another, as a
// keeper asks its host. `parrot <socket to listen on> | parrot --before <socket to ask>`
import { Agent, createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'

const [first = '', asked] = process.argv.slice(2)
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

const server = createServer(async (message, response) => {
  const told = await textOf(message)
  const body = asked === undefined ? told : await other(asked, told)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body)
})
server.keepAliveTimeout = 0

if (asked === undefined) createServer((...both) => void server.emit('request', ...both)).listen(first)
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
process.once('SIGTERM', () => process.exit(0))
