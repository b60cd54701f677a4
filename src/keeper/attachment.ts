// One client's view of the output. It reads from the disk at its own pace; when what it needs next is no longer
// kept it is cut, and told how much it missed. Nothing waits for it.
import type { Socket } from 'node:net'
import { bytesFrame, jsonFrame } from './frame.ts'
import type { Output } from './output.ts'

export type Attachment = {
  /** There may be more to send. */
  pump(): void
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

  const send = (): void => {
    const { from: oldest } = output.extent()
    if (at < oldest) return void cutOff(oldest - at)
    const length = output.read(at, room)
    at += length
    busy = true
    socket.write(seal(length), () => {
      busy = false
      pump()
    })
  }

  const pump = (): void => {
    if (!busy && !over()) send()
    if (!over()) return
    for (const waiter of waiters) waiter()
    waiters = []
  }
  socket.once('close', pump)

  return {
    pump,
    caughtUp: () =>
      new Promise((resolve) => {
        waiters.push(resolve)
        pump()
      }),
  }
}
