import { expect, test } from 'vitest'
import { isTrusted, trustFile, trustLine } from './rules.ts'

test('a root is trusted by path and inode together', () => {
  const list = trustLine({ path: '/a b', inode: 7 }) + trustLine({ path: '/c', inode: 8 })
  expect(isTrusted(list, { path: '/a b', inode: 7 })).toBe(true)
  expect(isTrusted(list, { path: '/a b', inode: 8 })).toBe(false)
  expect(isTrusted(list, { path: '/a', inode: 7 })).toBe(false)
  expect(isTrusted('', { path: '/c', inode: 8 })).toBe(false)
})

test.each([
  [{}, '/h/.config/agency/trusted'],
  [{ XDG_CONFIG_HOME: '/x/' }, '/x/agency/trusted'],
  [{ XDG_CONFIG_HOME: '' }, '/h/.config/agency/trusted'],
  [{ XDG_CONFIG_HOME: 'relative' }, '/h/.config/agency/trusted'],
])('with %j the list is %s', (env, expected) => {
  expect(trustFile(env, '/h')).toBe(expected)
})
