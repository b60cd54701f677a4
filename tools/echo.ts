// The floor of the HTTP rows: a server that does nothing but answer, on a port and a socket.
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

const body = JSON.stringify({ filler: 'x'.repeat(Number(process.argv[3] ?? 100)) })
const answer: RequestListener = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.end(body)
}
const tcp = createServer(answer).listen(0, '127.0.0.1')
const unix = createServer(answer).listen(process.argv[2])
tcp.once('listening', () => console.log((tcp.address() as AddressInfo).port))
process.once('SIGTERM', () => {
  tcp.close()
  unix.close()
  tcp.closeAllConnections()
  unix.closeAllConnections()
})
