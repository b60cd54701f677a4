// A listener without an opinion, for the hook rows: answers 204 to everything, and prints where it is.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const server = createServer((request, response) => {
  request.resume().once('end', () => response.writeHead(204).end())
}).listen(0, '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`),
)
process.once('SIGTERM', () => {
  server.close()
  server.closeAllConnections()
})
