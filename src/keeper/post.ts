// One question to the host over its unix socket. The lines to it stay open, and HTTP is spoken by hand: every hook of
// every session passes here, and Node's client would take longer than everything else that a keeper does with a hook.
import { connect, type Socket } from 'node:net'
import { answerIn } from './answer/rules.ts'
import type { Stop } from './stop.ts'

/** An answer to a hook is a decision and a sentence. */
const longestAnswer = 1024 * 1024

export type Answer =
  | { readonly kind: 'heard'; readonly status: number; readonly text: string }
  /** `sent` = the host may have read the question before it went. */
  | { readonly kind: 'away'; readonly sent: boolean }

type Exchange = { data(piece: string): void; end(): void }

/** It carries one question at a time; without one it waits among the idle. */
type Line = { readonly socket: Socket; now: Exchange | undefined }

const idle = new Map<string, readonly Line[]>()
const mostIdle = 4

const open = (path: string): Line => {
  const line: Line = { socket: connect(path), now: undefined }
  const forget = (): void =>
    void idle.set(
      path,
      (idle.get(path) ?? []).filter((each) => each !== line),
    )
  const end = (): void => {
    forget()
    line.now?.end()
  }
  line.socket.setEncoding('latin1')
  // Whoever speaks without being asked is not listened to again.
  line.socket.on('data', (piece: string) => (line.now ? line.now.data(piece) : line.socket.destroy()))
  line.socket.on('end', end)
  // Not there, or gone in between: `close` follows.
  line.socket.on('error', () => {})
  line.socket.on('close', end)
  return line
}

/** A line that the host closes in this moment looks like a host that is away: it is asked again, under the same id. */
const take = (path: string): Line => {
  const lines = idle.get(path) ?? []
  const line = lines.at(-1)
  if (line === undefined) return open(path)
  idle.set(path, lines.slice(0, -1))
  line.socket.ref()
  return line
}

const put = (path: string, line: Line): void => {
  const lines = idle.get(path) ?? []
  if (lines.length >= mostIdle || line.socket.destroyed) return void line.socket.destroy()
  // Nobody stays alive for a line that is not used.
  line.socket.unref()
  idle.set(path, [...lines, line])
}

const questionOf = (path: string, body: string): string =>
  `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n` +
  `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

export const post = (socketPath: string, path: string, body: string, stop?: Stop): Promise<Answer> =>
  new Promise((resolve) => {
    if (stop?.stopped()) return resolve({ kind: 'away', sent: false })
    const line = take(socketPath)
    let sent = !line.socket.connecting
    let got = ''

    const settle = (answer: Answer, keeps: boolean): void => {
      line.now = undefined
      stop?.off(away)
      if (keeps) put(socketPath, line)
      else line.socket.destroy()
      resolve(answer)
    }
    const away = (): void => settle({ kind: 'away', sent }, false)
    const look = (ended: boolean): void => {
      const found = got.length > longestAnswer ? 'broken' : answerIn(got, ended)
      if (found === 'more') return
      // Cut off, it is asked again; in one piece and without sense it is an answer, and nobody's permission.
      const read = found === 'broken' ? { status: 0, body: '', keeps: false } : found
      const text = Buffer.from(read.body, 'latin1').toString('utf8')
      if (found === 'broken' && ended) away()
      else settle({ kind: 'heard', status: read.status, text }, read.keeps)
    }

    line.now = {
      data: (piece) => {
        got += piece
        look(false)
      },
      end: () => look(true),
    }
    if (!sent)
      line.socket.once('connect', () => {
        sent = true
      })
    stop?.on(away)
    line.socket.write(questionOf(path, body))
  })
