import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { headIn } from './rules.ts'

const head = (...lines: readonly string[]): string => lines.join('\r\n')

test('a plain head is read', () => {
  const text = head('POST /hook HTTP/1.1', 'Host: localhost', 'X-a:b', 'content-length: \t12 ')
  expect(headIn(text)).toEqual({
    path: '/hook',
    raw: ['Host', 'localhost', 'X-a', 'b', 'content-length', '12'],
    length: 12,
  })
  expect(headIn(head('POST / HTTP/1.1', 'Connection: Keep-Alive', 'Content-Length: 0'))?.length).toBe(0)
})

const post = 'POST /hook HTTP/1.1'
const size = 'content-length: 2'

test.each([
  ['another method', head('GET /hook HTTP/1.1', size)],
  ['another version', head('POST /hook HTTP/1.0', size)],
  ['a whole address', head('POST http://x/hook HTTP/1.1', size)],
  ['a blank in the path', head('POST /ho ok HTTP/1.1', size)],
  ['no length', post],
  ['two lengths', head(post, size, size)],
  ['a length that is none', head(post, 'content-length: +2')],
  ['a length in hex', head(post, 'content-length: 0x2')],
  ['a list of lengths', head(post, 'content-length: 2, 2')],
  ['a length that is too long', head(post, 'content-length: 123456789')],
  ['chunks', head(post, size, 'Transfer-Encoding: chunked')],
  ['an expectation', head(post, size, 'expect: 100-continue')],
  ['another protocol', head(post, size, 'upgrade: x')],
  ['a line that is closed', head(post, size, 'connection: close')],
  ['a field that goes on', head(post, size, 'a: b', ' c: d')],
  ['a blank before the colon', head(post, size, 'a : b')],
  ['a name that is none', head(post, size, 'a\x00: b')],
  ['a value with a control character', head(post, size, 'a: b\x0bc')],
  ['a value without a character', head(post, size, 'a:')],
  ['a value beyond ASCII', head(post, size, 'a: \xe9')],
  ['a bare line feed', head(`${post}\nx: y`, size)],
  ['a bare return', head(post, size, 'a: b\rc: d')],
  ['nothing', ''],
])('not plain: %s', (_, text) => expect(headIn(text)).toBeUndefined())

type Heard = { readonly url: string | undefined; readonly raw: readonly string[]; readonly body: string }

test('what is taken for plain, Node reads the same', async () => {
  const heard: Heard[] = []
  const server = createServer(async (message, response) => {
    let body = ''
    for await (const piece of message.setEncoding('latin1')) body += piece
    heard.push({ url: message.url, raw: message.rawHeaders, body })
    response.end()
  })
  server.listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await new Promise((done) => server.once('listening', done))
  const { port } = server.address() as AddressInfo
  const asked = (text: string): Promise<void> =>
    new Promise((done) => {
      const socket = connect(port, '127.0.0.1', () => socket.end(text, 'latin1'))
      socket.on('data', () => socket.destroy()).on('error', () => {})
      socket.once('close', () => done())
    })
  const noise = fc.constantFrom(
    '',
    ' ',
    '\t',
    ':',
    'x',
    'X-y',
    '\r',
    '\n',
    '\0',
    '\x7f',
    '\xff',
    ',',
    '2',
    'é',
  )
  const line = fc.oneof(
    fc.constantFrom(
      size,
      'content-length:  02',
      'a: b',
      'Connection: keep-alive',
      'TE: x',
      'b:c d',
      'x-y:\tz ',
    ),
    fc.array(noise, { maxLength: 6 }).map((parts) => parts.join('')),
  )
  let taken = 0
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 4 }), fc.constantFrom('{}', ''), async (lines, body) => {
      const text = head(post, 'Host: localhost', ...lines)
      const found = headIn(text)
      if (found === undefined || found.length !== body.length) return
      taken += 1
      heard.length = 0
      await asked(`${text}\r\n\r\n${body}`)
      expect(heard).toEqual([{ url: found.path, raw: found.raw, body }])
    }),
    { numRuns: 3_000, seed: 7 },
  )
  expect(taken).toBeGreaterThan(50)
}, 60_000)
