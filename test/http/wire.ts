// HTTP spoken by hand, so that everything that can be sent is sent as it is written.
import { connect } from 'node:net'

export type Heads = readonly (readonly [name: string, value: string])[]
export type Sent = {
  readonly method?: string
  readonly path: string
  /** Beside Host and the token; one of the same name takes the place of ours. */
  readonly heads?: Heads
  readonly body?: string | Buffer
}
export type Heard = {
  /** 0 = the connection was closed without an answer. */
  readonly status: number
  readonly heads: Readonly<Record<string, string>>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: what a stranger on the wire would see.
  readonly body: any
}

/** Where the routes of an agent begin. */
export type Door = { readonly port: number; readonly prefix: string; readonly token: string }

/** Everything that comes back until the other side closes. */
export const raw = (port: number, bytes: string | Buffer, deadline = 60_000): Promise<string> =>
  new Promise((resolve, reject) => {
    let heard = ''
    const line = connect({ port, host: '127.0.0.1' }, () => line.write(bytes))
    line.setTimeout(deadline, () => line.destroy(new Error(`no answer in ${deadline} ms`)))
    line.on('data', (piece) => {
      heard += piece
    })
    // Who refuses a body while it still comes resets the line behind its answer.
    line.on('error', (error) => (heard === '' && !('syscall' in error) ? reject(error) : undefined))
    line.on('close', () => resolve(heard))
  })

const unchunked = (text: string): string => {
  const size = Number.parseInt(text, 16)
  const from = text.indexOf('\r\n') + 2
  return size > 0 ? text.slice(from, from + size) + unchunked(text.slice(from + size + 2)) : ''
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // No JSON is a finding of its own, which the test sees in `text`.
    return undefined
  }
}

export const read = (heard: string): Heard => {
  const end = heard.indexOf('\r\n\r\n')
  const [first = '', ...lines] = heard.slice(0, Math.max(end, 0)).split('\r\n')
  const heads = Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':')
      return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()]
    }),
  )
  const rest = end === -1 ? '' : heard.slice(end + 4)
  const text = heads['transfer-encoding'] === 'chunked' ? unchunked(rest) : rest
  return { status: Number(first.split(' ')[1] ?? 0), heads, text, body: parsed(text) }
}

export const bytesOf = ({ port, prefix, token }: Door, sent: Sent): Buffer => {
  const { method = 'GET', path, heads = [], body } = sent
  const own: Heads = [
    ['host', `127.0.0.1:${port}`],
    ['authorization', `Bearer ${token}`],
    ['connection', 'close'],
    ...(body === undefined ? [] : ([['content-length', String(Buffer.byteLength(body))]] as const)),
  ]
  const given = new Set(heads.map(([name]) => name.toLowerCase()))
  const lines = [...own.filter(([name]) => !given.has(name)), ...heads].map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  const head = `${method} ${prefix}${path} HTTP/1.1\r\n${lines.join('')}\r\n`
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body ?? '')])
}

export const send = async (door: Door, sent: Sent): Promise<Heard> =>
  read(await raw(door.port, bytesOf(door, sent)))

export const json: Heads = [['content-type', 'application/json']]

export const post = (door: Door, path: string, body?: unknown, heads: Heads = []): Promise<Heard> =>
  send(door, {
    method: 'POST',
    path,
    heads: body === undefined ? heads : [...json, ...heads],
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
export const get = (door: Door, path: string): Promise<Heard> => send(door, { path })
