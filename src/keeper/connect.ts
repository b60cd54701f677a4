// One connection to a keeper: requests with their answers, and what it says by itself.
import { connect as open, type Socket } from 'node:net'
import { type AgencyError, failure } from '../base/error/fail.ts'
import { type Code, catalogue } from '../base/error/schema.ts'
import type { Found } from './find.ts'
import { frameOf, frameReader, jsonFrame } from './frame.ts'
import { type Exit, type Fault, protocol, type Request, type Typed, word } from './schema.ts'

type Bare<R> = R extends Request ? Omit<R, 'id'> : never

export type Connection = {
  ask(request: Bare<Request>): Promise<unknown>
  /** Types, if it is attached. Nothing answers. */
  type(bytes: Uint8Array): void
  /** Stops and goes on reading: what the keeper has to say waits at its side. */
  pause(): void
  resume(): void
  close(): void
}

export type Ears = {
  readonly bytes?: (bytes: Buffer) => void
  readonly ended?: (exit: Exit) => void
  readonly over?: (exit: Exit) => void
  readonly typed?: (typed: Typed) => void
  readonly full?: (full: boolean) => void
  readonly cut?: (missed: number) => void
  /** The connection is over, whatever the reason. */
  readonly closed?: () => void
}

const raised = ({ code, facts }: Fault): AgencyError =>
  Object.hasOwn(catalogue, code)
    ? failure(code as Code, facts as never)
    : failure('keeper_state', { why: `the keeper says ${code}` })

type Pending = { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void }

const greeting = 20_000

/** Resolves when the keeper has proven to be the one that was found. */
export const connect = (found: Found, ears: Ears = {}): Promise<Connection> =>
  new Promise((resolve, reject) => {
    const socket: Socket = open(found.socket)
    const pending = new Map<number, Pending>()
    let next = 1
    let why = 'the connection was closed'
    const gone = (): AgencyError => failure('keeper_gone', { agent: found.agent, why })
    const give = (reason: string): void => {
      why = reason
      socket.destroy()
    }
    const timer = setTimeout(() => give(`no greeting in ${greeting / 1000} s`), greeting)

    const greet = (hello: { protocol: number; pid: number; started: string }): void => {
      clearTimeout(timer)
      const { pid, started, protocol: theirs } = hello
      if (pid !== found.pid || started !== found.started) give('another process answers there')
      else if (theirs === protocol) resolve(connection)
      else {
        reject(failure('keeper_version', { agent: found.agent, theirs, ours: protocol }))
        give('it speaks another version')
      }
    }

    const settle = (id: number, use: (one: Pending) => void): void => {
      const one = pending.get(id)
      pending.delete(id)
      if (one !== undefined) use(one)
    }

    const hear = (value: unknown): void => {
      const { data: said } = word.safeParse(value)
      if (said === undefined) give('it said something unknown')
      else if ('hello' in said) greet(said.hello)
      else if ('value' in said) settle(said.id, (one) => one.resolve(said.value))
      else if ('fault' in said) settle(said.id, (one) => one.reject(raised(said.fault)))
      else if ('ended' in said) ears.ended?.(said.ended)
      else if ('over' in said) ears.over?.(said.over)
      else if ('typed' in said) ears.typed?.(said.typed)
      else if ('full' in said) ears.full?.(said.full)
      else ears.cut?.(said.cut.missed)
    }

    const feed = frameReader({ json: hear, bytes: (bytes) => ears.bytes?.(bytes) })
    socket.on('data', (piece) => {
      try {
        feed(piece)
      } catch (error) {
        give(String(error))
      }
    })
    socket.on('error', (error) => {
      why = error.message
    })
    socket.once('close', () => {
      clearTimeout(timer)
      reject(gone())
      for (const one of pending.values()) one.reject(gone())
      pending.clear()
      ears.closed?.()
    })

    const connection: Connection = {
      ask: (request) =>
        new Promise((resolve, reject) => {
          if (!socket.writable) return reject(gone())
          const id = next++
          pending.set(id, { resolve, reject })
          socket.write(jsonFrame({ id, ...request }))
        }),
      type: (bytes) => void (socket.writable && socket.write(frameOf(bytes))),
      pause: () => void socket.pause(),
      resume: () => void socket.resume(),
      close: () => {
        socket.end()
        // A keeper that is stopped never answers the end; who is done must not wait for it.
        socket.unref()
      },
    }
  })
