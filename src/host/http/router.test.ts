import { expect, test } from 'vitest'
import type { Contract, Method } from '../../base/contract/schema.ts'
import { route } from './route.ts'
import { tableOf } from './router.ts'

const at = (method: Method, path: Contract['path']) =>
  route({ method, path, summary: `${method} ${path}`, reply: 'stream' }, async () => async () => {})

const table = tableOf([
  at('GET', '/agents/:name'),
  at('DELETE', '/agents/:name'),
  at('GET', '/agents/all'),
  at('GET', '/agents/:name/tasks/:id'),
  at('POST', '/agents'),
  at('GET', '/agents'),
])

const cases: readonly (readonly [string, Method, readonly string[], unknown])[] = [
  ['a path without parameters', 'GET', ['agents'], ['GET /agents', {}]],
  ['the method decides', 'POST', ['agents'], ['POST /agents', {}]],
  ['a parameter', 'GET', ['agents', 'a/b'], ['GET /agents/:name', { name: 'a/b' }]],
  [
    'two parameters',
    'GET',
    ['agents', 'a', 'tasks', '7'],
    ['GET /agents/:name/tasks/:id', { name: 'a', id: '7' }],
  ],
  ['a fixed word wins over a parameter', 'GET', ['agents', 'all'], ['GET /agents/all', {}]],
  ['but not with another method', 'DELETE', ['agents', 'all'], ['DELETE /agents/:name', { name: 'all' }]],
  ['what is allowed, once each', 'PUT', ['agents', 'all'], { allowed: ['GET', 'DELETE'] }],
  ['an empty segment is no parameter', 'GET', ['agents', ''], undefined],
  ['a path too long', 'GET', ['agents', 'a', 'tasks'], undefined],
  ['a path unknown', 'GET', ['nope'], undefined],
]
test.each(cases)('%s', (_, method, segments, expected) => {
  const found = table.find(method, segments)
  expect(found && 'route' in found ? [found.route.contract.summary, found.params] : found).toEqual(expected)
})
