// `node forward.cjs PORT=SOCKET,...`, inside the walls: what connects to a port there comes out at a socket. It
// decides nothing: whoever breaks it has only cut off itself.
import { closeSync, openSync, writeSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'

/** Sent to everybody in here. It goes with the walls: the last words of the others still pass through it. */
for (const signal of ['SIGINT', 'SIGQUIT', 'SIGHUP', 'SIGTERM'] as const) process.on(signal, () => {})

const join = (one: Socket, other: Socket): void => {
  one.pipe(other)
  // The rest of what the other side says has nobody to go to.
  one.on('error', () => other.destroy())
  one.on('close', () => other.destroy())
}

const open = (door: string): Promise<void> => {
  const [port = '', path = ''] = door.split('=')
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const outside = connect({ path, allowHalfOpen: true })
    join(client, outside)
    join(outside, client)
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(Number(port), '127.0.0.1', resolve)
  })
}

const doors = (process.argv[2] ?? '').split(',')
Promise.all(doors.map(open)).then(
  () => {
    // Whoever waits reads until the end of this: another file takes its place, so that no socket ever does.
    writeSync(1, 'up\n')
    closeSync(1)
    openSync('/dev/null', 'w')
    // The keeper hears that somebody came, and lets a program go on that waits for its input.
    const [door = ''] = doors
    connect({ path: door.split('=')[1] ?? '' })
      .on('error', () => {})
      .end()
  },
  (error: Error) => {
    writeSync(2, `agency: the sandbox has no way out: ${error.message}\n`)
    process.exit(71)
  },
)
