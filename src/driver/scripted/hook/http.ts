// An HTTP hook: one POST. Whatever is not a whole answer is a failure, and a failure is no opinion.
import { request } from 'node:http'
import { request as secure } from 'node:https'
import type { Raw } from './rules.ts'

const limit = 1024 * 1024

export type HttpCall = {
  url: string
  headers: Record<string, string>
  input: string
  timeoutMs: number
  signal: AbortSignal
}

/** Redirects are not followed: a 3xx is a failure like any other. */
export const callHttp = ({ url, headers, input, timeoutMs, signal }: HttpCall): Promise<Raw> =>
  new Promise((resolve) => {
    const failed = (why: string): void => {
      clearTimeout(timer)
      resolve({ kind: 'failed', why })
    }
    const timer = setTimeout(
      () => {
        failed('timed out')
        call?.destroy()
      },
      Math.min(timeoutMs, 2 ** 31 - 1),
    )
    let call: ReturnType<typeof request> | undefined
    try {
      call = (url.startsWith('https:') ? secure : request)(
        url,
        {
          method: 'POST',
          signal,
          headers: {
            accept: 'application/json, text/plain, */*',
            'content-type': 'application/json',
            'user-agent': 'axios/1.13.2',
            ...headers,
            'content-length': Buffer.byteLength(input),
          },
        },
        (reply) => {
          let body = ''
          reply.setEncoding('utf8').on('data', (piece: string) => {
            if (body.length < limit) body += piece
          })
          reply.on('end', () => {
            clearTimeout(timer)
            resolve({ kind: 'http', status: reply.statusCode ?? 0, body })
          })
          reply.on('error', (error) => failed(error.message))
        },
      )
      call.on('error', (error) => failed(error.message))
      call.end(input)
    } catch (error) {
      failed((error as Error).message)
    }
  })
