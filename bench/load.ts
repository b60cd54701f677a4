// A generator that costs little: bare sockets, one request outstanding on each. An HTTP client would be
// the bottleneck and hide the difference between two servers.
import { connect, type Socket } from 'node:net'

export type Target = { readonly path?: string; readonly port?: number }

const ending = Buffer.from('\r\n\r\n')

const lengthOf = (head: string): number => {
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

const worker = async (target: Target, request: Buffer, count: number, times: number[]): Promise<void> => {
  const socket = await open(target)
  await new Promise<void>((done, failed) => {
    let left = count
    let begun = 0n
    let got: Buffer = Buffer.alloc(0)
    const send = (): void => {
      begun = process.hrtime.bigint()
      socket.write(request)
    }
    socket.on('error', failed)
    socket.on('close', () => failed(new Error('the connection was closed')))
    socket.on('data', (piece: Buffer) => {
      got = got.length === 0 ? piece : Buffer.concat([got, piece])
      const head = got.indexOf(ending)
      if (head < 0) return
      const text = got.subarray(0, head).toString('latin1')
      if (!text.startsWith('HTTP/1.1 200')) return failed(new Error(text.slice(0, 200)))
      if (got.length < head + 4 + lengthOf(text)) return
      got = Buffer.alloc(0)
      times.push(Number(process.hrtime.bigint() - begun) / 1e6)
      left -= 1
      if (left > 0) return send()
      socket.removeAllListeners('close')
      socket.end()
      done()
    })
    send()
  })
}

/** Milliseconds of each request. */
export const load = async (
  target: Target,
  request: string,
  inFlight: number,
  count: number,
): Promise<number[]> => {
  const times: number[] = []
  const bytes = Buffer.from(request)
  await Promise.all(
    Array.from({ length: inFlight }, () => worker(target, bytes, Math.ceil(count / inFlight), times)),
  )
  return times
}
