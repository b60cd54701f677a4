// HTTP by hand over node:net: loading node:http would take as long as the whole hook may.
import { connect } from 'node:net'
import { type Heard, parseHttp, type Target } from './rules.ts'

const limit = 1024 * 1024

export type Sent = { heard: Heard } | { problem: string }

export const send = (
  target: Target,
  request: { event: string; token: string; body: string; deadlineMs: number },
): Promise<Sent> =>
  new Promise((resolve) => {
    const socket = 'socket' in target ? connect(target.socket) : connect(target.port, target.host)
    const body = Buffer.from(request.body, 'utf8')
    const pieces: Buffer[] = []
    let size = 0
    const end = (sent: Sent): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(sent)
    }
    const timer = setTimeout(
      () => end({ problem: 'the listener did not answer in time' }),
      Math.max(1, Math.min(request.deadlineMs, 2 ** 31 - 1)),
    )
    socket.on('connect', () => {
      const head = [
        `POST ${target.path} HTTP/1.1`,
        `Host: ${'socket' in target ? 'localhost' : `${target.host}:${target.port}`}`,
        `Authorization: Bearer ${request.token.replace(/[^\x21-\x7e]/g, '')}`,
        `X-Agency-Event: ${request.event}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        'Connection: close',
      ]
      socket.write(`${head.join('\r\n')}\r\n\r\n`)
      socket.write(body)
    })
    /** Bytes as Latin-1 first: lengths on the wire are counted in bytes. */
    const heard = (closed: boolean): Heard | undefined => {
      const found = parseHttp(Buffer.concat(pieces).toString('latin1'), closed)
      return found && { ...found, body: Buffer.from(found.body, 'latin1').toString('utf8') }
    }
    socket.on('data', (piece: Buffer) => {
      size += piece.length
      if (size > limit) return end({ problem: 'the listener answered too much' })
      pieces.push(piece)
      const whole = heard(false)
      if (whole) end({ heard: whole })
    })
    socket.on('error', (error: NodeJS.ErrnoException) =>
      end({ problem: `the listener cannot be reached (${error.code ?? 'error'})` }),
    )
    socket.on('close', () => {
      const whole = heard(true)
      end(whole ? { heard: whole } : { problem: 'the listener broke off' })
    })
  })
