import { expect, test } from 'vitest'
import { headsOf, presented, refusalOf, segmentsOf } from './rules.ts'

const port = { kind: 'port', port: 9000 } as const
const socket = { kind: 'socket' } as const
const misdirected = (host: string) => ({ code: 'misdirected', host, expected: '127.0.0.1:9000' })

const atPort: readonly (readonly [string, readonly string[], unknown])[] = [
  ['the address', ['Host', '127.0.0.1:9000'], undefined],
  ['localhost in any case', ['HOST', 'LocalHost:9000'], undefined],
  ['loopback of the newer protocol', ['host', '[::1]:9000'], undefined],
  ['a rebound name', ['host', 'rebind.network:9000'], misdirected('"rebind.network:9000"')],
  ['a name that starts like loopback', ['host', '127.evil.com'], misdirected('"127.evil.com"')],
  ['a name that ends like it', ['host', 'x.localhost:9000'], misdirected('"x.localhost:9000"')],
  ['another port', ['host', '127.0.0.1:9001'], misdirected('"127.0.0.1:9001"')],
  ['no port', ['host', 'localhost'], misdirected('"localhost"')],
  ['user part', ['host', 'x@127.0.0.1:9000'], misdirected('"x@127.0.0.1:9000"')],
  ['no Host', [], misdirected('nobody')],
  ['two Hosts', ['host', '127.0.0.1:9000', 'host', 'evil'], misdirected('"127.0.0.1:9000"')],
  ['null Origin', ['host', '127.0.0.1:9000', 'Origin', 'null'], { code: 'foreign_page', header: 'Origin' }],
  [
    'our own Origin',
    ['host', '127.0.0.1:9000', 'origin', 'http://127.0.0.1:9000'],
    { code: 'foreign_page', header: 'Origin' },
  ],
  ['a Referer', ['host', '127.0.0.1:9000', 'referer', ''], { code: 'foreign_page', header: 'Referer' }],
  [
    'cross-site',
    ['host', '127.0.0.1:9000', 'sec-fetch-site', 'cross-site'],
    { code: 'foreign_page', header: 'Sec-Fetch-Site' },
  ],
  [
    'same-site',
    ['host', '127.0.0.1:9000', 'sec-fetch-site', 'same-site'],
    { code: 'foreign_page', header: 'Sec-Fetch-Site' },
  ],
  ['a typed address', ['host', '127.0.0.1:9000', 'sec-fetch-site', 'none'], undefined],
  [
    'two tokens',
    ['host', '127.0.0.1:9000', 'authorization', 'Bearer a', 'Authorization', 'Bearer b'],
    { code: 'unauthorized' },
  ],
]
test.each(atPort)('at the port: %s', (_, raw, refusal) =>
  expect(refusalOf(headsOf(raw), port)).toEqual(refusal),
)

const atSocket: readonly (readonly [string, unknown])[] = [
  ['localhost', undefined],
  ['127.0.0.1:80', undefined],
  ['evil.example', { code: 'misdirected', host: '"evil.example"', expected: 'localhost' }],
]
test.each(atSocket)('at the socket: Host %s', (host, refusal) =>
  expect(refusalOf(headsOf(['host', host]), socket)).toEqual(refusal),
)

test.each([
  [[], undefined],
  [['authorization', 'Bearer abc'], 'abc'],
  [['authorization', 'bearer   abc'], 'abc'],
  [['authorization', 'Basic abc'], ''],
  [['authorization', 'Bearer a b'], ''],
  [['authorization', ''], ''],
])('the token of %j is %j', (raw, token) => expect(presented(headsOf(raw))).toBe(token))

test.each([
  ['/status', ['status']],
  ['/a%20b/c', ['a b', 'c']],
  ['/task/%252e%252e%252fx', ['task', '%2e%2e%2fx']],
  ['/', ['']],
  ['/a%zz', undefined],
  ['/%ff', undefined],
  ['http://evil/status', undefined],
  ['*', undefined],
])('the segments of %s', (path, segments) => expect(segmentsOf(path)).toEqual(segments))
