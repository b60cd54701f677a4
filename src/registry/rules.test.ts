import { expect, test } from 'vitest'
import { componentFact } from '../host/rules.ts'
import type { Fact } from '../journal/schema.ts'
import { openStatusOf, reduceComponent } from './rules.ts'
import { type ComponentRecord, openStatus } from './schema.ts'

const at = '2026-01-02T00:00:00.000Z'
const was: ComponentRecord = {
  type: 'agent',
  state: 'error',
  message: 'why',
  since: '2026-01-01T00:00:00.000Z',
}

const cases: readonly (readonly [string, ComponentRecord | undefined, Fact, ComponentRecord | undefined])[] =
  [
    [
      'started',
      undefined,
      componentFact('agents/a', 'started', { type: 'view' }),
      { type: 'view', state: 'starting', since: at },
    ],
    [
      'started again',
      was,
      componentFact('agents/a', 'started', { type: 'agent' }),
      { type: 'agent', state: 'starting', since: at },
    ],
    [
      'changed: the old message goes',
      was,
      componentFact('agents/a', 'changed', { state: 'idle' }),
      { type: 'agent', state: 'idle', since: at },
    ],
    [
      'changed with a message',
      was,
      componentFact('agents/a', 'changed', { state: 'limited', message: 'm' }),
      { type: 'agent', state: 'limited', message: 'm', since: at },
    ],
    ['stopped', was, componentFact('agents/a', 'stopped'), { type: 'agent', state: 'exited', since: at }],
    ['lost', was, componentFact('agents/a', 'lost'), { type: 'agent', state: 'lost', since: at }],
    ['something newer', was, componentFact('agents/a', 'painted'), was],
    [
      'a change without a beginning',
      undefined,
      componentFact('agents/a', 'changed', { state: 'idle' }),
      undefined,
    ],
  ]
test.each(cases)('%s', (_, before, fact, after) =>
  expect(reduceComponent(before, { ...fact, seq: 9, at })).toEqual(after),
)

test('a stranger learns four things', () => {
  const status = {
    type: 'agent',
    interfaces: [],
    version: 'v',
    state: 'idle',
    root: '/secret',
    pid: 1,
  } as const
  const open = openStatusOf({ ...status, interfaces: [] })
  expect(openStatus.parse(open)).toEqual({ type: 'agent', interfaces: [], version: 'v', state: 'idle' })
})
