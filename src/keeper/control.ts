// The control socket: who may open it may do everything to the session, so it lies in a directory that only its
// owner enters. Clients come and go; none of them can hold up the child or another client.
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { AgencyError } from '../base/error/fail.ts'
import { type Attachment, attach } from './attachment.ts'
import { frameReader, jsonFrame } from './frame.ts'
import type { Output } from './output.ts'
import { type Exit, type Fault, type Request, request, type Size, type Typed, type Word } from './schema.ts'
import { heardOf, nothingTyped } from './typed/rules.ts'

export type Client = {
  /** Its window, if it has one. */
  size?: Size | undefined
  attach(output: Output, from: number): void
  /** After all the output, if it looks at any. */
  ended(exit: Exit): void
  attached(): boolean
}
type Inner = Client & {
  readonly socket: Socket
  readonly say: (word: Word) => void
  /** Of the bytes that this client typed. */
  readonly typed: (bytes: Buffer) => readonly Typed[]
  attachment?: Attachment
  full: boolean
}

export type Handler = {
  /** A client that is attached types. Resolves when it is taken. */
  typed(bytes: Buffer, client: Client): Promise<void>
  handle(request: Request, client: Client): Promise<unknown>
  left(client: Client): void
  /** A request that has no place in the catalogue of errors: ours to mend, for the log. */
  broken(error: unknown): void
}

export type Control = {
  printed: Attachment['printed']
  ended(exit: Exit): void
  /** These bytes of a client have been written. */
  typed(client: Client, bytes: Buffer): void
  readonly clients: () => readonly Client[]
  close(): Promise<void>
}

const faultOf = (error: unknown): Fault =>
  error instanceof AgencyError
    ? { code: error.code, facts: error.details }
    : { code: 'keeper_state', facts: { why: 'the keeper could not do it; see keeper.log' } }

export const openControl = async (path: string, hello: Word, handler: Handler): Promise<Control> => {
  const clients = new Map<Client, Inner>()

  const answer = async (client: Inner, value: unknown): Promise<void> => {
    const parsed = request.safeParse(value)
    if (!parsed.success) return void client.socket.destroy()
    const { id } = parsed.data
    try {
      client.say({ id, value: ((await handler.handle(parsed.data, client)) ?? null) as never })
      // Only now, so that the answer stands before the output.
      client.attachment?.pump()
    } catch (error) {
      if (!(error instanceof AgencyError)) handler.broken(error)
      client.say({ id, fault: faultOf(error) })
    }
  }

  const told = (client: Inner, full: boolean): void => {
    if (client.full !== full) client.say({ full })
    client.full = full
  }

  /** A refusal is told once, and so is its end: nobody waits for an answer to each key. */
  const input = async (client: Inner, bytes: Buffer): Promise<void> => {
    if (!client.attached()) return void client.socket.destroy()
    try {
      await handler.typed(bytes, client)
      told(client, false)
    } catch (error) {
      // Where nothing runs, nobody misses a key.
      if (!(error instanceof AgencyError)) handler.broken(error)
      else if (error.code === 'input_full') told(client, true)
    }
  }

  const welcome = (socket: Socket): void => {
    let typed = nothingTyped
    const client: Inner = {
      socket,
      full: false,
      typed: (bytes) => {
        typed = heardOf(typed, bytes.toString('latin1'), performance.now())
        return typed.said
      },
      say: (word) => void (socket.writable && socket.write(jsonFrame(word))),
      attached: () => client.attachment !== undefined,
      attach: (output, from) => {
        client.attachment = attach(socket, output, from)
      },
      ended: (exit) => {
        if (client.attachment === undefined) client.say({ ended: exit })
        else void client.attachment.caughtUp().then(() => client.say({ over: exit }))
      },
    }
    const feed = frameReader({
      json: (value) => void answer(client, value),
      bytes: (bytes) => void input(client, bytes),
    })
    clients.set(client, client)
    client.say(hello)
    socket.on('data', (piece) => {
      try {
        feed(piece)
      } catch {
        // Not our frames: nothing can be said to whoever that is.
        socket.destroy()
      }
    })
    socket.on('error', () => {
      // A client that broke off; 'close' follows.
    })
    socket.once('close', () => {
      clients.delete(client)
      handler.left(client)
    })
  }

  const server = createServer(welcome)
  // What a killed keeper left behind; that none lives here was looked at before.
  await rm(path, { force: true })
  const mask = process.umask(0o177)
  try {
    server.listen(path)
    await once(server, 'listening')
  } finally {
    process.umask(mask)
  }

  return {
    printed: (output, bytes) => {
      for (const { attachment } of clients.values()) attachment?.printed(output, bytes)
    },
    ended: (exit) => {
      for (const client of clients.values()) client.ended(exit)
    },
    typed: (who, bytes) => {
      for (const typed of clients.get(who)?.typed(bytes) ?? [])
        for (const client of clients.values()) if (!client.attached()) client.say({ typed })
    },
    clients: () => [...clients.keys()],
    close: async () => {
      server.close()
      // Whoever stays connected must not speak to a session that is over.
      for (const { socket } of clients.values()) socket.end(() => socket.destroy())
      await rm(path, { force: true })
    },
  }
}
