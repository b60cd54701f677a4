// A listener that no slow, rude or broken client can hold up.
import { chmodSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { type Answers, type Plain, plainFirst } from '../../base/http/plain.ts'
import type { Log } from '../../base/log/open.ts'
import { type RawCode, rawAnswer } from './answer.ts'

/** In milliseconds. A request must be whole in time; an answer may take as long as it takes. */
export type Limits = { readonly headers: number; readonly request: number; readonly check: number }
export const limits: Limits = { headers: 10_000, request: 30_000, check: 2_000 }

/** Milliseconds between two requests. */
const idle = 60_000

export type Listener = {
  readonly port: number
  /** Takes no more connections, lets open exchanges end, cuts what is left when `cut` aborts. */
  close(cut: AbortSignal): Promise<void>
}

const codes: Readonly<Record<string, RawCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
}

// One line for each, so that a scan of the port or a TLS client on it can be recognised later.
const misheard =
  (log: Log) =>
  (error: NodeJS.ErrnoException, socket: Socket): void => {
    const late = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
    log.warn(late ? 'a request did not arrive in time' : 'what arrived was not HTTP', { code: error.code })
    socket.end(rawAnswer(codes[error.code ?? ''] ?? 'bad_request', error.code ?? 'unreadable'))
    socket.destroySoon()
  }

const serverOf = (listener: RequestListener, log: Log, { headers, request, check }: Limits): Server => {
  const server = createServer(
    {
      headersTimeout: headers,
      requestTimeout: request,
      connectionsCheckingInterval: check,
      keepAliveTimeout: idle,
      noDelay: true,
      // The door refuses it in words.
      requireHostHeader: false,
    },
    listener,
  )
  // Node would drop those beyond 1000 unread, and among them what the door judges; their bytes are limited.
  server.maxHeadersCount = 0
  server.on('clientError', misheard(log))
  // Node would answer an expectation it does not know by itself, without our envelope; it may as well be ignored.
  server.on('checkExpectation', listener)
  return server
}

const listening = (server: Server, where: object): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(where, () => {
      server.off('error', reject)
      // Later errors (no file descriptors left) pass: the connection is refused, the host goes on.
      server.on('error', () => {})
      resolve()
    })
  })

const closing = (server: Server, cut: AbortSignal, plain?: Plain): Promise<void> =>
  new Promise((resolve) => {
    const now = (): void => {
      server.closeAllConnections()
      plain?.closeAll()
    }
    server.close(() => {
      cut.removeEventListener('abort', now)
      resolve()
    })
    server.closeIdleConnections()
    plain?.closeIdle()
    if (cut.aborted) now()
    else cut.addEventListener('abort', now, { once: true })
  })

export type Options = {
  readonly listener: RequestListener
  readonly log: Log
  readonly limits?: Limits
  /** At the socket: who is asked first. */
  readonly plain?: Answers
}

/** Loopback only: who wants more puts something with a certificate in front. */
export const listenPort = async (port: number, options: Options): Promise<Listener> => {
  const server = serverOf(options.listener, options.log, options.limits ?? limits)
  await listening(server, { port, host: '127.0.0.1', exclusive: true })
  return { port: (server.address() as AddressInfo).port, close: (cut) => closing(server, cut) }
}

const inodeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino

/**
 * Bound under a name of its own and renamed: a stale socket is replaced in one step, the mode is set before
 * anyone can connect, and closing never unlinks a socket that another host has put in this place.
 * Only for who holds the lock of the root.
 */
export const listenSocket = async (path: string, options: Options): Promise<Listener> => {
  const server = serverOf(options.listener, options.log, options.limits ?? limits)
  const plain = options.plain && plainFirst(server, { answers: options.plain, idle })
  const directory = dirname(path)
  // What hosts that were killed in this moment left behind. No other socket's name begins with a dot.
  for (const name of readdirSync(directory)) if (/^\.h\w+$/.test(name)) rmSync(join(directory, name))
  // Short, because a socket's path has little room.
  const own = join(directory, `.h${process.pid.toString(36)}`)
  await listening(server, { path: own })
  chmodSync(own, 0o600)
  renameSync(own, path)
  const ours = inodeOf(path)
  return {
    port: 0,
    close: async (cut) => {
      if (inodeOf(path) === ours) rmSync(path, { force: true })
      await closing(server, cut, plain)
    },
  }
}
