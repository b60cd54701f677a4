import { expect, test } from 'vitest'
import { type Candidate, type Choice, chooseFrom } from './rules.ts'

const one = (name: string, state: Candidate['state'], more: Partial<Candidate> = {}): Candidate => ({
  name,
  state,
  type: 'agent',
  interfaces: ['statusable', 'taskable'],
  ...more,
})
const plain = { interfaces: ['statusable'] } as const
const director = { type: 'director' } as const

test.each<[readonly Candidate[], Choice]>([
  [[], { kind: 'none', why: 'there is no agent that takes tasks' }],
  [[one('a', 'idle')], { kind: 'free', names: ['a'] }],
  [
    [one('a', 'working'), one('b', 'idle'), one('c', 'starting'), one('d', 'idle')],
    { kind: 'free', names: ['b', 'd'] },
  ],
  [[one('a', 'working'), one('b', 'starting')], { kind: 'early', name: 'b' }],
  [
    [one('a', 'working'), one('b', 'error'), one('c', 'exited'), one('d', 'lost')],
    { kind: 'none', why: 'a is working, b is in error' },
  ],
  [
    [one('a', 'idle', plain), one('b', 'idle', director), one('c', 'exited')],
    { kind: 'none', why: 'there is no agent that takes tasks' },
  ],
])('%# %j', (candidates, expected) => {
  expect(chooseFrom(candidates, 'agent that takes tasks')).toEqual(expected)
})
