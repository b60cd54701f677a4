import { expect, test } from 'vitest'
import { isNear, reachable } from './address.ts'

test.each([
  ['127.0.0.1', true],
  ['127.255.0.9', true],
  ['0.0.0.0', true],
  ['10.1.2.3', true],
  ['100.64.0.1', true],
  ['169.254.169.254', true],
  ['172.31.255.255', true],
  ['172.32.0.1', false],
  ['192.168.1.1', true],
  ['224.0.0.1', true],
  ['255.255.255.255', true],
  ['8.8.8.8', false],
  ['::', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['::ffff:8.8.8.8', true],
  ['64:ff9b::7f00:1', true],
  ['2002:7f00:1::', true],
  ['fe80::1', true],
  ['fd00::1', true],
  ['2606:4700::1111', false],
])('%s is near: %s', (address, expected) => expect(isNear(address)).toBe(expected))

const target = { host: 'example.com', port: 443, named: false }
const found = (...addresses: string[]) => addresses.map((address) => ({ address, family: 4 }))
test.each([
  [found('8.8.8.8', '9.9.9.9'), false, '8.8.8.8'],
  [found('8.8.8.8', '127.0.0.1'), false, undefined],
  [found('127.0.0.1'), true, '127.0.0.1'],
  [found(), false, undefined],
])('of %j, named %s, %s', (addresses, named, expected) =>
  expect(reachable(addresses, { ...target, named })).toBe(expected),
)
