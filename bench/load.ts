// A generator that costs little: bare sockets, one request outstanding on each. An HTTP client would be
// the bottleneck and hide the difference between two servers.
import { connect, type Socket } from 'node:net'

export type Target = { readonly path?: string; readonly port?: number }
export type Ask = {
  readonly target: Target
  /** The same each time, or by how many were sent before. */
  readonly request: string | ((at: number) => string)
}

const ending = Buffer.from('\r\n\r\n')

const announced = (head: string): number => {
  if (head.startsWith('HTTP/1.1 204')) return 0
  if (!head.startsWith('HTTP/1.1 200')) throw new Error(head.slice(0, 200))
  const found = /content-length: (\d+)/i.exec(head)
  if (!found) throw new Error(`an answer without a length: ${head.slice(0, 200)}`)
  return Number(found[1])
}

const open = (target: Target): Promise<Socket> =>
  new Promise((done, failed) => {
    const socket = target.path === undefined ? connect(target.port ?? 0, '127.0.0.1') : connect(target.path)
    socket.setNoDelay(true)
    socket.once('connect', () => done(socket)).once('error', failed)
  })

type Heard = (milliseconds: number, bytes: number) => void

const worker = async ({ target, request }: Ask, count: number, heard: Heard): Promise<void> => {
  const socket = await open(target)
  const texts =
    typeof request === 'string' ? [request] : Array.from({ length: count }, (_, at) => request(at))
  const bytes = texts.map((text) => Buffer.from(text))
  await new Promise<void>((done, failed) => {
    let left = count
    let begun = 0
    let got: Buffer = Buffer.alloc(0)
    const send = (): void => {
      const sent = bytes[(count - left) % bytes.length] as Buffer
      begun = performance.now()
      socket.write(sent)
    }
    const leave = (): void => {
      socket.removeAllListeners('close')
      socket.end()
      done()
    }
    const take = (piece: Buffer): void => {
      got = got.length === 0 ? piece : Buffer.concat([got, piece])
      const head = got.indexOf(ending)
      if (head < 0) return
      const length = announced(got.toString('latin1', 0, head))
      if (got.length < head + ending.length + length) return
      heard(performance.now() - begun, length)
      got = Buffer.alloc(0)
      left -= 1
      if (left > 0) send()
      else leave()
    }
    socket.on('error', failed)
    socket.on('close', () => failed(new Error('the connection was closed')))
    socket.on('data', (piece: Buffer) => {
      try {
        take(piece)
      } catch (error) {
        failed(error)
      }
    })
    send()
  })
}

/** How many bytes the body of the answer has. */
export const lengthOf = async (ask: Ask): Promise<number> => {
  let length = 0
  await worker(ask, 1, (_, bytes) => {
    length = bytes
  })
  return length
}

/**
 * Milliseconds of each request, but for the first of each connection: to be accepted is not a round trip. Of several
 * askers each has a connection of its own.
 */
export const load = async (ask: Ask | readonly Ask[], inFlight: number, count: number): Promise<number[]> => {
  const times: number[] = []
  const asks = Array.isArray(ask)
    ? (ask as readonly Ask[])
    : Array.from({ length: inFlight }, () => ask as Ask)
  const one = (each: Ask): Promise<void> => {
    let first = true
    return worker(each, 1 + Math.ceil(count / inFlight), (milliseconds) => {
      if (!first) times.push(milliseconds)
      first = false
    })
  }
  await Promise.all(asks.map(one))
  return times
}
