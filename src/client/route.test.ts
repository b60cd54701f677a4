import { expect, test } from 'vitest'
import { address } from './route.ts'

test.each([
  ['/status', {}, '/status'],
  ['/task/:id', { params: { id: '../x y' } }, '/task/..%2Fx%20y'],
  ['/events', { query: { after: 3, none: undefined } }, '/events?after=3'],
  ['/a/:b', { params: { b: 'c' }, query: { d: 'é&f' } }, '/a/c?d=%C3%A9%26f'],
])('the address of %s with %j', (path, input, expected) => expect(address(path, input)).toBe(expected))
