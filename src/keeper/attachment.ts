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
  let at = from
  let cut = false
  let waiters: (() => void)[] = []
  const over = (): boolean => cut || socket.destroyed || at >= output.extent().to

  const cutOff = (missed: number): void => {
    cut = true
    socket.end(jsonFrame({ cut: { missed } }))
    const timer = setTimeout(() => socket.destroy(), farewell)
    socket.once('close', () => clearTimeout(timer))
  }

  const pump = (): void => {
    while (!over() && !socket.writableNeedDrain) {
      const { from: oldest } = output.extent()
      if (at < oldest) {
        cutOff(oldest - at)
        break
      }
      const bytes = output.read(at, piece)
      at += bytes.length
      socket.write(bytesFrame(bytes))
    }
    if (!over()) return
    for (const waiter of waiters) waiter()
    waiters = []
  }
  socket.on('drain', pump)
  socket.once('close', pump)

  return {
    pump,
    caughtUp: () =>
      new Promise((resolve) => {
        if (over()) return resolve()
        waiters.push(resolve)
        pump()
      }),
  }
}
