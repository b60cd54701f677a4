// A port that can be written into a file before anybody listens on it.
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Below the range from which the system gives out free ports: one of those could be taken by any other test
 * between the moment it is found free and the moment it is used.
 */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = 10_240 + Math.floor(Math.random() * 20_000)
    const server = createServer()
    const tried = once(server, 'listening').catch(() => undefined)
    server.listen(port, '127.0.0.1')
    if ((await tried) === undefined) continue
    await new Promise((resolve) => server.close(resolve))
    return port
  }
}
