// The control socket: who may open it may do everything to the session, so it lies in a directory that only its
// owner enters. Clients come and go; none of them can hold up the child or another client.
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { AgencyError } from '../base/error/fail.ts'
import { type Attachment, attach } from './attachment.ts'
import { frameReader, jsonFrame } from './frame.ts'
import type { Output } from './output.ts'
import { type Exit, type Fault, type Request, request, type Size, type Word } from './schema.ts'

export type Client = {
  /** Its window, if it has one. */
  size?: Size | undefined
  attach(output: Output, from: number): void
  /** After all the output, if it looks at any. */
  ended(exit: Exit): void
  attached(): boolean
}
type Inner = Client & { readonly say: (word: Word) => void; attachment?: Attachment; readonly socket: Socket }

export type Handler = {
  handle(request: Request, client: Client): Promise<unknown>
  left(client: Client): void
  /** A request that has no place in the catalogue of errors: ours to mend, for the log. */
  broken(error: unknown): void
}

export type Control = {
  pump(): void
  ended(exit: Exit): void
  readonly clients: () => readonly Client[]
  close(): Promise<void>
}

const faultOf = (error: unknown): Fault =>
  error instanceof AgencyError
    ? { code: error.code, facts: error.details }
    : { code: 'keeper_state', facts: { why: 'the keeper could not do it; see keeper.log' } }

export const openControl = async (path: string, hello: Word, handler: Handler): Promise<Control> => {
  const clients = new Set<Inner>()

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

  const welcome = (socket: Socket): void => {
    const client: Inner = {
      socket,
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
    const feed = frameReader({ json: (value) => void answer(client, value), bytes: () => socket.destroy() })
    clients.add(client)
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
    pump: () => {
      for (const client of clients) client.attachment?.pump()
    },
    ended: (exit) => {
      for (const client of clients) client.ended(exit)
    },
    clients: () => [...clients],
    close: async () => {
      server.close()
      for (const { socket } of clients) socket.end()
      await rm(path, { force: true })
    },
  }
}
