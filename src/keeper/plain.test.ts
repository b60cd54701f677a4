// A hook that comes plain and one that only Node's HTTP reads are answered the same.
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { json, open, standIn, tokens, until } from '../../test/kit/keeper.ts'

const input = { hook_event_name: 'PreToolUse', tool_name: 'Bash', text: 'ä\u2028"' }

type Asking = { path?: string; heads?: readonly string[]; token?: string; body?: string | Buffer }

/** What is answered: the status and the body. */
const asked = (port: number, { path = '/hook', heads = [], token = tokens.hookToken, body }: Asking) =>
  new Promise<{ status: number; body: string }>((done, failed) => {
    const bytes = Buffer.from(body ?? JSON.stringify(input))
    const own = heads.some((head) => /^host:/i.test(head)) ? [] : [`host: 127.0.0.1:${port}`]
    const lines = [...own, `authorization: Bearer ${token}`, ...heads, `content-length: ${bytes.length}`]
    const head = [`POST ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n')
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.concat([Buffer.from(head), bytes])))
    let text = ''
    socket.setEncoding('utf8').on('data', (piece) => {
      text += piece
      const [start = '', rest] = text.split('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(start)?.[1] ?? 0)
      if (rest === undefined || Buffer.byteLength(rest) < length) return
      socket.destroy()
      done({ status: Number(start.split(' ')[1]), body: rest })
    })
    socket.once('error', failed)
    socket.once('close', () => failed(new Error(`closed: ${text}`)))
  })

const cases: readonly (readonly [string, Asking, number])[] = [
  ['allowed', {}, 200],
  ['without an opinion', { body: JSON.stringify({ ...input, tool_name: 'Read' }) }, 204],
  ['with a mark before its text', { body: `\uFEFF${JSON.stringify(input)}` }, 200],
  ['with a wrong token', { token: 'hook-token-0123456780' }, 401],
  ['with a longer token', { token: `${tokens.hookToken}x` }, 401],
  ['with the other token', { token: tokens.telemetryToken }, 401],
  ['with two tokens', { heads: ['authorization: Bearer x'] }, 403],
  ['from a page', { heads: ['origin: null'] }, 403],
  ['for another host', { heads: ['host: evil.example'] }, 421],
  ['to another path', { path: '/hooks' }, 404],
  ['that is no JSON', { body: '{' }, 400],
  ['that is a list', { body: '[]' }, 400],
  ['that is no UTF-8', { body: Buffer.from([0x22, 0xff, 0x22]) }, 400],
  ['without an event', { body: '{}' }, 503],
]

test('the same answers, whichever way', async () => {
  const { root, keeper } = await open()
  const host = await standIn(`${root}/host.sock`, ({ body }, response) =>
    (body.input as typeof input).tool_name === 'Bash'
      ? json(response, { said: 'ü' })
      : response.writeHead(204).end(),
  )
  const { port } = keeper.found
  for (const [what, asking, status] of cases) {
    const plain = await asked(port, asking)
    const { heads = [] } = asking
    const other = await asked(port, { ...asking, heads: [...heads, 'te: trailers'] })
    expect([what, plain.status, plain.body]).toEqual([what, status, other.body])
    expect([what, other.status]).toEqual([what, status])
  }
  const read = { ...input, tool_name: 'Read' }
  expect(host.asked.map(({ body }) => body.input)).toEqual([input, input, read, read, input, input])
  await until(async () => (await keeper.status()).hooksWaiting === 0, 'nothing waits')
})
