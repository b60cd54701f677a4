// The loopback port of a session, held for its life: hooks and telemetry of its CLI. Whoever is on this machine
// can connect, so everything but the right token on the right path is refused, and doubt about a hook blocks it.
import { isUtf8 } from 'node:buffer'
import { randomUUID, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type Answers, plainFirst } from '../base/http/plain.ts'
import { headsOf, presented, refusalOf } from '../host/http/rules.ts'
import { ask } from './ask.ts'
import type { Masking } from './masking.ts'
import type { Outbox } from './outbox.ts'
import { deadlineOf, denialOf, eventOf, type Reply } from './rules.ts'
import type { Opening } from './schema.ts'
import { type Stop, stopping } from './stop.ts'

const bodyLimit = 16 * 1024 * 1024
/** At once; more means that something runs wild. */
const mostHooks = 256

export type Listener = {
  readonly port: number
  /** Somebody who came another way, and is served as if it had come by the port. */
  admit(connection: Socket): void
  waiting(): number
  close(): void
}

/** What is typed into the session meanwhile. */
export type Typist = {
  /** A hook has come. */
  moved(): void
  /** Resolves when nothing is being typed. */
  quiet(): Promise<void>
}

type Fault = { readonly status: number; readonly error: string }
type Refuse = (status: number, error: string) => void
type Body = { readonly text: string; readonly value: Readonly<Record<string, unknown>> }

/** Compared in constant time. Its length is no secret: every token has the same. */
const checkOf = (token: string): ((given: string) => boolean) => {
  const ours = Buffer.from(token)
  return (given) => {
    const theirs = Buffer.from(given)
    return theirs.length === ours.length && timingSafeEqual(ours, theirs)
  }
}

const isFault = (value: Body | Fault): value is Fault => 'error' in value

const parse = (bytes: Buffer): Body | Fault => {
  try {
    const whole = isUtf8(bytes) ? bytes.toString('utf8') : ''
    // What some programs put before a text is no part of it.
    const text = whole.startsWith('\uFEFF') ? whole.slice(1) : whole
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { text, value: value as Body['value'] }
  } catch {
    // Bad UTF-8 or no JSON: both are said below.
  }
  return { status: 400, error: 'the body is not a JSON object' }
}

const read = (message: IncomingMessage): Promise<Body | Fault> =>
  new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    let size = 0
    const take = (piece: Buffer): void => {
      size += piece.length
      if (size <= bodyLimit) return void pieces.push(piece)
      message.off('data', take).pause()
      resolve({ status: 413, error: `the body is larger than ${bodyLimit} bytes` })
    }
    message.on('data', take)
    message.once('end', () =>
      resolve(parse(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces))),
    )
    message.once('error', reject)
  })

const reply = (response: ServerResponse, status: number, body?: string): void => {
  if (body === undefined) return void response.writeHead(status).end()
  const bytes = Buffer.from(body)
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length })
    .end(bytes)
}

const textOf = (status: number, body?: string): string => {
  const start = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  if (body === undefined) return `${start}\r\n`
  return `${start}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

const kinds: Readonly<Record<string, string>> = {
  '/v1/logs': 'logs',
  '/v1/metrics': 'metrics',
  '/v1/traces': 'traces',
}

export const openListener = async (
  opening: Opening,
  outbox: Outbox,
  typist: Typist,
  masking: Pick<Masking, 'json'>,
): Promise<Listener> => {
  const { agent, session, host, hooks: policy } = opening
  const isHookToken = checkOf(opening.hookToken)
  const isTelemetryToken = checkOf(opening.telemetryToken)
  let waiting = 0

  /** Not read and written again: no number or text in it may change on the way. */
  const envelope = (fields: object, input?: string): string => {
    const start = JSON.stringify({ agent, session, ...fields })
    return input === undefined ? start : `${start.slice(0, -1)},"input":${input}}`
  }

  const decide = async ({ text, value }: Body, gone: Stop): Promise<Reply & { text?: string }> => {
    const event = eventOf(policy, value)
    if (event === undefined) return { status: 503, body: { error: `the input names no ${policy.field}` } }
    const id = randomUUID()
    const deny = (why: string): Reply =>
      denialOf(
        policy,
        event,
        value,
        `${why}. Nothing was allowed; retrying will not help until agency answers.`,
      )
    const deadline = deadlineOf(policy, event)
    const input = masking.json(text, policy.whole)
    const { heard, known } = await ask({ host, body: envelope({ id, event }, input), deadline, gone })
    if (heard.kind === 'answer') return { status: 200, text: heard.text }
    if (heard.kind === 'none') return { status: 204 }
    if (heard.kind === 'refused') return deny(heard.why)
    // The host may hold an approval for it, which nobody can use now.
    if (known) outbox.put({ path: '/hook', body: envelope({ id, event, closed: heard.kind }) })
    return deny(`agency's host did not answer within ${Math.round(deadline / 1000)} s`)
  }

  type Said = (status: number, text?: string) => void

  const settle = async (body: Body, gone: Stop, say: Said): Promise<void> => {
    const { status, body: refusal, text } = await decide(body, gone)
    // What lets the CLI go on may open a dialog, which the rest of a message would answer. A refusal opens none.
    if (refusal === undefined) await typist.quiet()
    if (gone.stopped()) return
    say(status, text ?? (refusal === undefined ? undefined : JSON.stringify(refusal)))
  }

  /** It waits from its first byte on: what is typed while the rest of it arrives would be typed blindly. */
  const hook = async (message: IncomingMessage, response: ServerResponse, refuse: Refuse): Promise<void> => {
    typist.moved()
    if (waiting >= mostHooks) return refuse(503, 'too many hooks at once')
    waiting += 1
    try {
      const body = await read(message)
      if (isFault(body)) refuse(body.status, body.error)
      else {
        const gone = stopping()
        response.once('close', () => {
          if (!response.writableFinished) gone.stop()
        })
        await settle(body, gone, (status, text) => reply(response, status, text))
      }
    } finally {
      waiting -= 1
    }
  }

  /** A hook that came whole and plain, as most do: the same, without Node's HTTP. What is not right with it Node says. */
  const plain: Answers = ({ path, raw, body: bytes }, { reply: send, gone: leaving }) => {
    const heads = headsOf(raw)
    const right = path === '/hook' && waiting < mostHooks && isHookToken(presented(heads) ?? '')
    if (!right || refusalOf(heads, { kind: 'port', port }) !== undefined) return false
    const body = parse(bytes)
    if (isFault(body)) return false
    typist.moved()
    waiting += 1
    const gone = stopping()
    leaving(gone.stop)
    settle(body, gone, (status, text) => send(textOf(status, text)))
      // A fault of ours: the CLI is told so, and a hook that fails blocks.
      .catch(() => send(textOf(503, '{"error":"the keeper failed"}')))
      .finally(() => {
        waiting -= 1
      })
    return true
  }

  const serve = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const refuse: Refuse = (status, error) => {
      response.setHeader('connection', 'close')
      reply(response, status, JSON.stringify({ error }))
    }
    const heads = headsOf(message.rawHeaders)
    const refusal = refusalOf(heads, { kind: 'port', port })
    if (refusal !== undefined) return refuse(refusal.code === 'misdirected' ? 421 : 403, refusal.code)
    const path = message.url ?? ''
    const kind = Object.hasOwn(kinds, path) ? kinds[path] : undefined
    if (kind === undefined && path !== '/hook') return refuse(404, 'there is nothing here')
    const isToken = kind === undefined ? isHookToken : isTelemetryToken
    if (!isToken(presented(heads) ?? '')) return refuse(401, 'the token is wrong')
    if (message.method !== 'POST') return refuse(405, 'only POST is answered')
    if (kind === undefined) return hook(message, response, refuse)
    const body = await read(message)
    if (isFault(body)) return refuse(body.status, body.error)
    outbox.put({ path: '/telemetry', body: envelope({ id: randomUUID(), kind }, masking.json(body.text)) })
    reply(response, 200, '{}')
  }

  const server = createServer((message, response) => {
    serve(message, response).catch(() => {
      // The connection broke while it was read. A fault of ours ends here too, and a hook without answer blocks.
      response.destroy()
    })
  })
  // A connection that is closed just as the CLI uses it again would be a refused call.
  server.keepAliveTimeout = 0
  const lines = plainFirst(server, { answers: plain, idle: 0 })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    admit: (connection) => void server.emit('connection', connection),
    waiting: () => waiting,
    close: () => {
      server.close()
      server.closeAllConnections()
      lines.closeAll()
    },
  }
}
