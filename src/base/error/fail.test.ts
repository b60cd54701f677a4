import { expect, test } from 'vitest'
import { AgencyError, fail, failure } from './fail.ts'

test('a failure fills the holes of its entry and keeps the facts', () => {
  const error = failure('not_found', { what: 'agent "a"', see: 'Type `agency list`.', problems: ['x:1:2 y'] })
  expect(error).toBeInstanceOf(AgencyError)
  expect(error.words).toEqual({
    message: 'There is no agent "a".',
    safe: 'Nothing was changed.',
    next: 'Type `agency list`.',
  })
  expect([error.status, error.exit, error.code]).toEqual([404, 1, 'not_found'])
  expect(error.details).toEqual({ what: 'agent "a"', see: 'Type `agency list`.' })
  expect(error.problems).toEqual(['x:1:2 y'])
})

test('facts are inserted literally: a hole inside a fact stays as it is', () => {
  expect(failure('validation_error', { what: '{see} $& {what}' }).message).toBe('{see} $& {what}')
})

test('what is quoted is for reading, not to be sent back whole', () => {
  const problems = Array.from({ length: 5000 }, (_, at) => `${at} ${'x'.repeat(5000)}`)
  const error = failure('validation_error', { what: '🤖'.repeat(5000), problems })
  expect(error.message).toBe(`${'🤖'.repeat(999)}…`)
  expect(error.details.what).toBe(error.message)
  expect(error.problems).toHaveLength(51)
  expect(error.problems[50]).toBe('… and 4950 more')
  expect(error.problems[0]).toHaveLength(1000)
})

test('the cause is kept for the log', () => {
  const cause = new Error('disk')
  expect(failure('internal', { what: 'x', cause }).cause).toBe(cause)
  expect(() => fail('internal', { what: 'x' })).toThrow(AgencyError)
})
