import { expect, test } from 'vitest'
import { deadlineOf, denialOf, eventOf, heardOf } from './rules.ts'
import type { HookPolicy } from './schema.ts'

const policy: HookPolicy = {
  field: 'name',
  events: {
    Ask: { deadline: 10, denials: [{ body: { own: { why: '{reason}', list: ['a {reason}', 1, null] } } }] },
    Stop: {
      deadline: 20,
      denials: [{ when: { again: true }, body: { told: '{reason}' } }, { body: { block: true } }],
    },
    Look: { deadline: 30, denials: [{ body: null }] },
    Part: { deadline: 40, denials: [{ when: { again: true }, body: null }] },
  },
  otherwise: { deadline: 50, denials: [] },
}

test.each<[string, Record<string, unknown>, ReturnType<typeof denialOf>]>([
  ['Ask', {}, { status: 200, body: { own: { why: '$& x', list: ['a $& x', 1, null] } } }],
  ['Stop', { again: true }, { status: 200, body: { told: '$& x' } }],
  ['Stop', { again: 'true' }, { status: 200, body: { block: true } }],
  ['Stop', {}, { status: 200, body: { block: true } }],
  ['Look', {}, { status: 204 }],
  ['Part', {}, { status: 503, body: { error: '$& x' } }],
  ['Unknown', {}, { status: 503, body: { error: '$& x' } }],
  ['constructor', {}, { status: 503, body: { error: '$& x' } }],
])('%s with %j is refused as %j', (event, input, reply) =>
  expect(denialOf(policy, event, input, '$& x')).toEqual(reply),
)

test.each([
  ['Ask', 10],
  ['Unknown', 50],
  ['toString', 50],
])('%s waits %i ms', (event, deadline) => expect(deadlineOf(policy, event)).toBe(deadline))

test.each([
  [{ name: 'Ask' }, 'Ask'],
  [{ name: '' }, undefined],
  [{ name: 1 }, undefined],
  [{}, undefined],
  [Object.create({ name: 'Ask' }) as object, undefined],
])('the event of %j is %s', (input, event) =>
  expect(eventOf(policy, input as Record<string, unknown>)).toBe(event),
)

test.each([
  [200, '{"a":1}', { kind: 'answer', text: '{"a":1}' }],
  [204, '', { kind: 'none' }],
  [503, '{}', { kind: 'again' }],
  [200, '', { kind: 'refused', why: 'the host answered something else than a JSON object' }],
  [200, '[]', { kind: 'refused', why: 'the host answered something else than a JSON object' }],
  [200, 'null', { kind: 'refused', why: 'the host answered something else than a JSON object' }],
  [201, '{}', { kind: 'refused', why: 'the host answered 201' }],
  [302, '', { kind: 'refused', why: 'the host answered 302' }],
  [403, '{"a":1}', { kind: 'refused', why: 'the host answered 403' }],
  [500, '{}', { kind: 'refused', why: 'the host answered 500' }],
])('%i %s from the host means %j', (status, text, heard) => expect(heardOf(status, text)).toEqual(heard))
