import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keeper as api } from '../../agent/api.ts'
import { isHook } from './hooks.ts'

const field = fc.oneof(fc.string({ maxLength: 120 }), fc.constant(''), fc.jsonValue())
const body = fc.record(
  {
    agent: field,
    session: field,
    id: field,
    event: field,
    input: fc.jsonValue(),
    closed: field,
    more: field,
  },
  { requiredKeys: [] },
)

test('what is taken as a hook at once, the contract takes as it is', () => {
  const contract = api.hook.body.strict()
  let taken = 0
  fc.assert(
    fc.property(body, (given) => {
      if (!isHook(given)) return
      taken += 1
      expect(contract.parse(given)).toEqual(given)
    }),
    { numRuns: 20_000, seed: 7 },
  )
  expect(taken).toBeGreaterThan(20)
})

const hook = { agent: 'a', session: 's', id: 'i', event: 'PreToolUse', input: { any: ['thing'] } }

test.each([
  [hook, true],
  [{ ...hook, closed: 'gone' }, false],
  [{ ...hook, id: '' }, false],
  [{ ...hook, id: 'x'.repeat(101) }, false],
  [{ ...hook, agent: 7 }, false],
  [{ ...hook, other: 1 }, false],
  [JSON.parse('{"agent":"a","session":"s","id":"i","event":"e","__proto__":{}}'), false],
])('%j is a hook of a keeper: %s', (given, is) => expect(isHook(given)).toBe(is))
