// The floors of the HTTP rows: a server that does nothing but answer, on a port and a socket; bare, or as a route behind
// the same doors as the host's own. `echo <socket> <bytes of the body> [token]`
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as z from 'zod'
import { contract } from '../src/base/contract/schema.ts'
import { openLog } from '../src/base/log/open.ts'
import { doorsOf } from '../src/host/doors.ts'
import { route } from '../src/host/http/route.ts'
import { tableOf } from '../src/host/http/router.ts'

const [path = '', bytes = '100', token] = process.argv.slice(2)
const filled = (count: number) => ({ filler: 'x'.repeat(count) })
const body = filled(Math.max(0, Number(bytes) - JSON.stringify(filled(0)).length))

const bare = async (): Promise<number> => {
  const text = JSON.stringify(body)
  const answer: RequestListener = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    response.end(text)
  }
  createServer(answer).listen(path)
  const tcp = createServer(answer).listen(0, '127.0.0.1')
  await new Promise((resolve) => tcp.once('listening', resolve))
  return (tcp.address() as AddressInfo).port
}

const echo = contract({
  method: 'GET',
  path: '/status',
  summary: 'Says the same for ever.',
  reply: z.strictObject({ filler: z.string() }),
})

const routed = async (known: string): Promise<number> => {
  const log = openLog({
    file: `${path}.log`,
    component: 'echo',
    level: () => 'error',
    now: () => new Date(),
    secrets: [],
  })
  const table = tableOf([route(echo, () => body, { open: true })])
  const doors = doorsOf({ token: known, log })
  const locate = (segments: readonly string[]) => ({ table, rest: segments })
  await doors.socket(path, locate)
  return (await doors.port(0, locate)).port
}

console.log(await (token === undefined ? bare() : routed(token)))
process.once('SIGTERM', () => process.exit(0))
