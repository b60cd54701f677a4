// One question to the host over its unix socket.
import { request } from 'node:http'

/** An answer to a hook is a decision and a sentence. */
const longestAnswer = 1024 * 1024

export type Answer =
  | { readonly kind: 'heard'; readonly status: number; readonly text: string }
  /** `sent` = the host may have read the question before it went. */
  | { readonly kind: 'away'; readonly sent: boolean }

export const post = (socketPath: string, path: string, body: string, signal?: AbortSignal): Promise<Answer> =>
  new Promise((resolve) => {
    let sent = false
    const away = (): void => resolve({ kind: 'away', sent })
    const headers = {
      host: 'localhost',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }
    const question = request({
      socketPath,
      path,
      method: 'POST',
      headers,
      agent: false,
      ...(signal === undefined ? {} : { signal }),
    })
    question.once('socket', (socket) =>
      socket.once('connect', () => {
        sent = true
      }),
    )
    // Not there, gone in between, or given up by us.
    question.once('error', away)
    question.once('response', (response) => {
      const pieces: Buffer[] = []
      let size = 0
      response.on('data', (piece: Buffer) => {
        size += piece.length
        if (size <= longestAnswer) pieces.push(piece)
      })
      response.once('error', away)
      response.once('end', () => {
        const text = size <= longestAnswer ? Buffer.concat(pieces).toString('utf8') : ''
        resolve({ kind: 'heard', status: response.statusCode ?? 0, text })
      })
    })
    question.end(body)
  })
