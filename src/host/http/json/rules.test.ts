import fc from 'fast-check'
import { expect, test } from 'vitest'
import { brokenAt, depthOf, inheritsIn, repeatedIn, unwritableIn } from './rules.ts'

const broken: readonly (readonly [string, number])[] = [
  ['prompt=hi', 0],
  ['{"a":1,}', 7],
  ['{"a" 1}', 5],
  ['{a:1}', 1],
  ['[1 2]', 3],
  ['[1,]', 3],
  ['{"a":01}', 6],
  ['{} x', 3],
  ['{"a":"\u0001"}', 6],
  ['{"a":"\\x"}', 6],
  ['{"a":1', 6],
  ['{"a":"never closed', 18],
  ['', 0],
  ['[}', 1],
]
test.each(broken)('%j is broken at %i', (text, at) => expect(brokenAt(text)).toBe(at))

test('what JSON.parse accepts is whole, what it refuses has a place inside or at the end', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.string({ maxLength: 2 }), (text, cut, put) => {
      expect(brokenAt(text)).toBe(text.length)
      const at = cut % (text.length + 1)
      const changed = text.slice(0, at) + put + text.slice(at + 1)
      const accepted = (() => {
        try {
          JSON.parse(changed)
          return true
        } catch {
          return false
        }
      })()
      if (accepted) expect(brokenAt(changed)).toBe(changed.length)
    }),
  )
})

test('depth counts brackets outside strings', () => {
  expect(depthOf('{"a":[{"b":"[[[\\"[["}],"c":[]}')).toBe(3)
  expect(depthOf('['.repeat(100_000))).toBe(100_000)
  expect(depthOf('"never closed [[[')).toBe(0)
})

test('long strings and long lists are no trouble', () => {
  const texts = [
    `{"a":"${'x'.repeat(5_000_000)}"`,
    `{"a":"${'\\n'.repeat(500_000)}"`,
    `[${'1,'.repeat(200_000)}`,
  ]
  for (const text of texts) expect([brokenAt(text), depthOf(text)]).toEqual([text.length, 1])
})

test.each([
  ['{"a":1,"a":2}', 'a'],
  ['{"a":1,"\\u0061":2}', 'a'],
  ['{"b":[{"a":1},{"a":2,"c":{"a":3},"a":4}]}', 'a'],
  ['{"__proto__":1,"__proto__":2}', '__proto__'],
  ['{"a":"a","b":["a","a"],"c":{"a":"a"}}', undefined],
  ['{"a":"{\\"a\\":1,\\"a\\":2}"}', undefined],
  ['[{"a":1},{"a":1}]', undefined],
  ['"a"', undefined],
])('%s has %s twice', (text, name) => expect(repeatedIn(text)).toBe(name))

test('what JSON.stringify writes has nothing twice', () => {
  fc.assert(fc.property(fc.json(), (text) => repeatedIn(text) === undefined))
})

test.each([
  ['{"prompt":"a\\u0000b"}', 'prompt'],
  ['{"prompt":"\\ud800"}', 'prompt'],
  ['{"prompt":"\\udc00\\ud800"}', 'prompt'],
  ['{"a":{"\\uD800":1}}', '\ud800'],
  ['{"a":["x","\\u0000"]}', '1'],
  ['{"prompt":"\\ud83e\\udd16 \\u0001"}', undefined],
  ['{"prompt":"\\\\u0000"}', undefined],
])('%s cannot be written because of %j', (text, name) => expect(unwritableIn(text)).toBe(name))

test.each([
  ['{"env":{"__proto__":"x"}}', true],
  ['{"a":[{"\\u005F_proto__":1}]}', true],
  ['{"a":"__proto__"}', false],
  ['{"__proto":1}', false],
])('%s has a field that an object inherits: %j', (text, found) => expect(inheritsIn(text)).toBe(found))
