import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { answerIn } from './rules.ts'

const ok = 'HTTP/1.1 200 OK\r\n'
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`

test.each([
  [`${ok}Content-Length: 2\r\n\r\n{}`, { status: 200, body: '{}', keeps: true }],
  [`${ok}content-length:2 \r\nConnection: close\r\n\r\n{}`, { status: 200, body: '{}', keeps: false }],
  [`HTTP/1.1 204 No Content\r\nx: y\r\n\r\n`, { status: 204, body: '', keeps: true }],
  [`HTTP/1.1 503 \r\ncontent-length: 0\r\n\r\n`, { status: 503, body: '', keeps: true }],
  [`HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n`, { status: 200, body: '', keeps: false }],
  [
    `${chunked}2\r\n{"\r\nA\r\na":"\r\n":1}\r\n0\r\n\r\n`,
    { status: 200, body: '{"a":"\r\n":1}', keeps: true },
  ],
  ['', 'more'],
  ['HTTP/1.1 200 OK\r\n', 'more'],
  [`${ok}Content-Length: 3\r\n\r\n{}`, 'more'],
  [`${ok}\r\n{}`, 'more'],
  [`${chunked}2\r\n{}\r\n`, 'more'],
  [`${ok}Content-Length: 1\r\n\r\n{}`, 'broken'],
  [`${ok}Content-Length: x\r\n\r\n`, 'broken'],
  [`${chunked}2\r\n{}}`, 'more'],
  [`${chunked}2\r\n{}}}`, 'broken'],
  [`${chunked}-2\r\n{}\r\n`, 'broken'],
  [`${chunked}0\r\n\r\nHTTP`, 'broken'],
  ['HTTP/1.1 100 Continue\r\n\r\n', 'broken'],
  ['HTTP/1.1 204 No\r\n\r\nx', 'broken'],
  ['SSH-2.0-x\r\n\r\n', 'broken'],
])('while more may come, %j is %j', (text, expected) => {
  expect(answerIn(text, false)).toEqual(expected)
})

test.each([
  [`${ok}\r\n{}`, { status: 200, body: '{}', keeps: false }],
  [`${ok}Content-Length: 2\r\n\r\n{}`, { status: 200, body: '{}', keeps: false }],
  [`${ok}Content-Length: 3\r\n\r\n{}`, 'broken'],
  [`${chunked}2\r\n{}\r\n`, 'broken'],
  ['', 'broken'],
])('at its end, %j is %j', (text, expected) => {
  expect(answerIn(text, true)).toEqual(expected)
})

test('an answer that comes in any pieces is not taken for whole before it is', () => {
  const body = fc.string({ unit: fc.constantFrom('{', '"', '\r', '\n', '0', 'é') })
  fc.assert(
    fc.property(body, fc.boolean(), fc.nat(), (text, pieces, cut) => {
      const size = text.length.toString(16)
      const whole = pieces
        ? `${chunked}${text === '' ? '' : `${size}\r\n${text}\r\n`}0\r\n\r\n`
        : `${ok}content-length: ${text.length}\r\n\r\n${text}`
      expect(answerIn(whole, false)).toEqual({ status: 200, body: text, keeps: true })
      expect(answerIn(whole.slice(0, cut % whole.length), false)).toBe('more')
    }),
  )
})
