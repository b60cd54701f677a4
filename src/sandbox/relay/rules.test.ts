import fc from 'fast-check'
import { expect, test } from 'vitest'
import { headsFor, judge, modelPath } from './rules.ts'

const no = 'it is no host and port'
const unlisted = 'the list of allowed hosts does not name it'
const list = ['example.com', '*.npmjs.org', 'intra.corp:8443', '10.0.0.7', '*.corp:8080']

test.each([
  ['example.com:443', { host: 'example.com', port: 443, named: false }],
  ['EXAMPLE.com:80', { host: 'example.com', port: 80, named: false }],
  ['example.com', { host: 'example.com', port: 80, named: false }],
  ['registry.npmjs.org:443', { host: 'registry.npmjs.org', port: 443, named: false }],
  ['a.b.npmjs.org:443', { host: 'a.b.npmjs.org', port: 443, named: false }],
  ['intra.corp:8443', { host: 'intra.corp', port: 8443, named: true }],
  ['10.0.0.7:443', { host: '10.0.0.7', port: 443, named: false }],
  ['x.corp:8080', { host: 'x.corp', port: 8080, named: false }],
])('%s passes', (authority, target) => expect(judge(authority, list, 80)).toEqual({ target }))

test.each([
  ['', no],
  [':443', no],
  ['example.com.:443', no],
  ['example.com:0', no],
  ['example.com:99999', no],
  ['example.com:443:443', no],
  ['example.com\0.evil.org:443', no],
  ['example.com\r\nx: y:443', no],
  ['example.com%00.evil.org:443', no],
  ['user@example.com:443', no],
  ['[::1]:443', no],
  ['::1:443', no],
  ['exam ple.com:443', no],
  ['example..com:443', no],
  ['exämple.com:443', no],
  [`${'a'.repeat(254)}:443`, no],
  ['example.com:8443', unlisted],
  ['intra.corp:443', unlisted],
  ['evil-example.com:443', unlisted],
  ['example.com.evil.org:443', unlisted],
  ['npmjs.org:443', unlisted],
  ['127.0.0.1:443', unlisted],
  ['127.1:443', unlisted],
  ['2130706433:443', unlisted],
  ['0x7f000001:443', unlisted],
  ['localhost:443', unlisted],
])('%j does not', (authority, refused) => expect(judge(authority, list)).toEqual({ refused }))

test('an empty list lets nothing through', () => {
  fc.assert(
    fc.property(fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6(), fc.string()), fc.nat(70_000), (host, port) => {
      expect(judge(`${host}:${port}`, [])).toHaveProperty('refused')
      expect(judge(host, [], 80)).toHaveProperty('refused')
    }),
  )
})

test('no address hides behind a wildcard', () => {
  for (const host of ['1.2.3.4', '0x7f.npmjs.0x1', '1.npmjs.7'])
    expect(judge(`${host}:443`, ['*.3.4', '*.0x1', '*.7'])).toEqual({ refused: unlisted })
})

test.each([
  ['/model/v1/messages?beta=true', '/v1/messages?beta=true'],
  ['/model/v1/messages/count_tokens', '/v1/messages/count_tokens'],
  ['/model/v1/models/claude-x', '/v1/models/claude-x'],
  ['/model/v1/files', undefined],
  ['/model/v1/messages/batches', undefined],
  ['/model/../v1/messages', undefined],
  ['/model/v1/messages/../files', undefined],
  ['/model/v1/messages%2f..%2ffiles', undefined],
  ['/model//evil.org/v1/messages', undefined],
  ['/model@evil.org/v1/messages', undefined],
  ['/v1/messages', undefined],
])('%s is %s of the model', (path, expected) => expect(modelPath(path)).toBe(expected))

test('the key of the agent is replaced, and nothing of the connection goes on', () => {
  const heads = {
    host: '127.0.0.1:3128',
    'x-api-key': 'placeholder',
    authorization: 'Bearer placeholder',
    'proxy-authorization': 'x',
    connection: 'keep-alive',
    'anthropic-beta': 'a,b',
    'set-cookie': ['a', 'b'],
    missing: undefined,
  }
  expect(headsFor(heads, { 'x-api-key': 'real' })).toEqual({
    'anthropic-beta': 'a,b',
    'set-cookie': ['a', 'b'],
    'x-api-key': 'real',
  })
})
