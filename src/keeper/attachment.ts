// One client's view of the output. It reads from the disk at its own pace, but for what it can get at once; when
// what it needs next is no longer kept it is cut, and told how much it missed. Nothing waits for it.
import type { Socket } from 'node:net'
import { bytesFrame, jsonFrame } from './frame.ts'
import type { Output } from './output.ts'

export type Attachment = {
  /** There may be more to send. */
  pump(): void
  /** There is more on this output: these bytes at its end, or, if the disk has not taken them all, undefined. */
  printed(output: Output, bytes: Uint8Array | undefined): void
  /** Resolves when it has got all there is, or will get no more. */
  caughtUp(): Promise<void>
}

const piece = 64 * 1024
/** How long a client that was cut may take to read why. */
const farewell = 10_000

export const attach = (socket: Socket, output: Output, from: number): Attachment => {
  // One piece is on its way at a time, so one buffer is enough.
  const { room, seal } = bytesFrame(piece)
  let at = from
  let busy = false
  let cut = false
  let waiters: (() => void)[] = []
  const over = (): boolean => cut || socket.destroyed || at >= output.extent().to

  const cutOff = (missed: number): void => {
    cut = true
    socket.end(jsonFrame({ cut: { missed } }))
    const timer = setTimeout(() => socket.destroy(), farewell)
    socket.once('close', () => clearTimeout(timer))
  }

  const sent = (): void => {
    busy = false
    pump()
  }
  const send = (length: number): void => {
    at += length
    busy = true
    socket.write(seal(length), sent)
  }
  const read = (): void => {
    const { from: oldest } = output.extent()
    if (at < oldest) cutOff(oldest - at)
    else send(output.read(at, room))
  }

  const pump = (): void => {
    if (!busy && !over()) read()
    if (!over()) return
    for (const waiter of waiters) waiter()
    waiters = []
  }
  socket.once('close', pump)

  return {
    pump,
    printed: (where, bytes) => {
      if (where !== output || busy || cut || socket.destroyed) return
      if (bytes === undefined || bytes.length > piece || at + bytes.length !== output.extent().to)
        return pump()
      room.set(bytes)
      send(bytes.length)
    },
    caughtUp: () =>
      new Promise((resolve) => {
        waiters.push(resolve)
        pump()
      }),
  }
}
