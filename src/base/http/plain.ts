// Answers plain requests without Node's HTTP, which takes longer over one than most answers do. A request that comes in
// one piece and is plain is put to `answers` first; all others, and whoever has sent one, are Node's from there on.
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { type Head, headIn } from './rules.ts'

export type Question = Head & { readonly body: Buffer }

export type Exchange = {
  /** The answer, head and body. */
  reply(text: string): void
  /** Told if the asker goes before that. */
  gone(hear: () => void): void
}

/** Whether it will be answered; `false` = it is for Node, and nothing was done about it. */
export type Answers = (question: Question, exchange: Exchange) => boolean

export type Plain = {
  /** Those that wait for nothing. */
  closeIdle(): void
  closeAll(): void
}

export type PlainOptions = {
  readonly answers: Answers
  /** Milliseconds that a line may be idle between two requests; 0 = for ever. */
  readonly idle: number
}

/** Longer ones have longer bodies, and come in pieces. */
const longestHead = 4_096
/** Whoever has said nothing until then is Node's to deal with. */
const patience = 2_000
/** What may come behind a request while it is answered. */
const mostHeld = 64 * 1024

const questionIn = (piece: Buffer): Question | undefined => {
  const end = piece.indexOf('\r\n\r\n')
  if (end < 0 || end > longestHead) return undefined
  const head = headIn(piece.toString('latin1', 0, end))
  const body = piece.subarray(end + 4)
  return head !== undefined && body.length === head.length ? { ...head, body } : undefined
}

type Line = { busy: boolean; readonly close: () => void }

export const plainFirst = (server: Server, { answers, idle }: PlainOptions): Plain => {
  const native = server.listeners('connection')
  server.removeAllListeners('connection')
  const lines = new Set<Line>()

  const welcome = (socket: Socket): void => {
    let held: Buffer[] = []
    let hear: (() => void) | undefined
    let asked = false
    const line: Line = { busy: false, close: () => socket.destroy() }

    const handOver = (piece?: Buffer): void => {
      lines.delete(line)
      socket.setTimeout(0)
      socket.off('data', take).off('end', leave).off('close', leave).off('timeout', late).off('error', leave)
      if (piece !== undefined) {
        socket.pause()
        socket.unshift(piece)
      }
      for (const each of native) each.call(server, socket)
      if (piece !== undefined) process.nextTick(() => socket.resume())
    }

    const reply = (text: string): void => {
      if (!line.busy) return
      line.busy = false
      hear = undefined
      // Who is closing takes no more requests.
      if (!server.listening) socket.end(text)
      else socket.write(text)
      if (held.length > 0) handOver(Buffer.concat(held))
    }

    const take = (piece: Buffer): void => {
      if (line.busy) {
        held.push(piece)
        if (held.reduce((sum, each) => sum + each.length, 0) > mostHeld) socket.destroy()
        return
      }
      const question = questionIn(piece)
      line.busy = question !== undefined
      const exchange: Exchange = {
        reply,
        gone: (listener) => {
          hear = listener
        },
      }
      if (question !== undefined && answers(question, exchange)) {
        if (!asked) socket.setTimeout(idle)
        asked = true
        return
      }
      line.busy = false
      handOver(piece)
    }

    const leave = (): void => {
      lines.delete(line)
      line.busy = false
      held = []
      hear?.()
      hear = undefined
      socket.end()
    }

    const late = (): void => {
      if (line.busy) return
      if (asked) socket.destroy()
      else handOver()
    }

    lines.add(line)
    socket.on('data', take).on('end', leave).on('close', leave).on('timeout', late).on('error', leave)
    socket.setTimeout(patience)
  }

  server.on('connection', welcome)
  return {
    closeIdle: () => {
      for (const line of lines) if (!line.busy) line.close()
    },
    closeAll: () => {
      for (const line of lines) line.close()
    },
  }
}
