import { expect, test } from 'vitest'
import { leaves, shownConfig, valueAt, withValue } from './rules.ts'
import { config } from './schema.ts'

test.each([
  ['sqlite', 'sqlite'],
  ['postgres://db/agency', 'postgres://db/agency'],
  ['postgres://me@db/agency', 'postgres://me@db/agency'],
  ['postgres://me:s3cret@db/agency', 'postgres://me:***@db/agency'],
  ['postgres://me:s3:c@ret@db/agency', 'postgres://me:***@db/agency'],
  ['postgresql://db/a?user=me&password=s3cret&x=1', 'postgresql://db/a?user=me&password=***&x=1'],
])('the store %s is shown as %s', (store, shown) => {
  expect(shownConfig(config.parse({ store })).store).toBe(shown)
})

test('leaves are the values that are no objects', () => {
  expect(leaves({ a: 1, b: { c: [1], d: {} } })).toEqual([['a'], ['b', 'c']])
})

test('a value is found by its own fields only', () => {
  expect(valueAt({ a: { b: 1 } }, ['a', 'b'])).toBe(1)
  expect(valueAt({ a: {} }, ['a', 'b', 'c'])).toBeUndefined()
  expect(valueAt({}, ['constructor'])).toBeUndefined()
})

test.each([
  [{}, ['a', 'b'], { a: { b: 1 } }],
  [{ a: { c: 2 } }, ['a', 'b'], { a: { c: 2, b: 1 } }],
  [{ a: null }, ['a', 'b'], { a: { b: 1 } }],
  [{ a: 'text' }, ['a', 'b'], { a: 'text' }],
  [[], ['a'], []],
])('%j with 1 at %j is %j', (value, keys, expected) => {
  expect(withValue(value, keys, 1)).toEqual(expected)
})
