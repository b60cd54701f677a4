import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Task } from '../schema.ts'
import { type Candidate, claims, fits, isHopeless, nextDue } from './rules.ts'

const task = (id: string, more: Partial<Task> = {}): Task => ({
  id,
  session: `session of ${id}`,
  preview: '',
  digest: '',
  at: 0,
  state: 'queued',
  ...more,
})
const agent = (name: string, more: Partial<Candidate> = {}): Candidate => ({
  name,
  labels: [],
  freeSince: 0,
  ...more,
})
const coder = agent('coder', { role: 'coder', pod: 'web', labels: ['fast', 'node'] })

test.each([
  [{}, coder, true],
  [{ agent: 'coder' }, coder, true],
  [{ agent: 'other' }, coder, false],
  [{ role: 'coder', pod: 'web' }, coder, true],
  [{ role: 'coder', pod: 'api' }, coder, false],
  [{ labels: ['node'] }, coder, true],
  [{ labels: ['node', 'gpu'] }, coder, false],
  [{ role: 'coder' }, { ...coder, named: true }, false],
  [{ agent: 'coder', role: 'coder' }, { ...coder, named: true }, true],
])('%j and %j: %s', (select, candidate, expected) => {
  expect(fits(select, candidate)).toBe(expected)
  expect(isHopeless(select, [candidate])).toBe(!expected)
})

test.each<[string, readonly Task[], readonly Candidate[], readonly string[]]>([
  ['the oldest first', [task('b', { at: 2 }), task('a', { at: 1 })], [agent('x')], ['a>x']],
  ['the most important before', [task('a'), task('b', { at: 5, priority: 3 })], [agent('x')], ['b>x']],
  ['not before its time', [task('a', { notBefore: 11 }), task('b', { at: 5 })], [agent('x')], ['b>x']],
  ['who is idle longest', [task('a')], [agent('x', { freeSince: 5 }), agent('y', { freeSince: 4 })], ['a>y']],
  ['nobody who is busy', [task('a')], [agent('x', { freeSince: undefined })], []],
  [
    'who waits for one agent holds up nobody',
    [task('a', { select: { agent: 'x' }, priority: 9 }), task('b')],
    [agent('x', { freeSince: undefined }), agent('y')],
    ['b>y'],
  ],
  ['each gets one', [task('a'), task('b'), task('c')], [agent('x'), agent('y')], ['a>x', 'b>y']],
])('%s', (_, waiting, candidates, expected) => {
  expect(claims(waiting, candidates, 10).map(({ task: id, agent: name }) => `${id}>${name}`)).toEqual(
    expected,
  )
})

test('when the next is due', () => {
  expect(nextDue([task('a'), task('b', { notBefore: 30 }), task('c', { notBefore: 20 })], 10)).toBe(20)
  expect(nextDue([task('a')], 10)).toBeUndefined()
})

test('nobody gets two, nobody gets what does not fit, and nobody idles beside a task that fits', () => {
  const names = ['a', 'b', 'c']
  const candidate = fc.record({ role: fc.constantFrom(...names), free: fc.boolean() })
  const wanted = fc.record({
    role: fc.option(fc.constantFrom(...names), { nil: undefined }),
    priority: fc.nat(3),
  })
  fc.assert(
    fc.property(fc.array(candidate, { maxLength: 6 }), fc.array(wanted, { maxLength: 8 }), (some, asked) => {
      const agents = some.map(({ role, free }, at) =>
        agent(`x${at}`, { role, freeSince: free ? at : undefined }),
      )
      const tasks = asked.map(({ role, priority }, at) =>
        task(`t${at}`, { at, priority, select: role === undefined ? {} : { role } }),
      )
      const made = claims(tasks, agents, 0)
      const [given, taken] = [new Set(made.map((one) => one.task)), new Set(made.map((one) => one.agent))]
      expect([given.size, taken.size]).toEqual([made.length, made.length])
      for (const { task: id, agent: name } of made) {
        const one = agents.find((each) => each.name === name) as Candidate
        expect([
          one.freeSince !== undefined,
          fits(tasks.find((each) => each.id === id)?.select ?? {}, one),
        ]).toEqual([true, true])
      }
      const idle = agents.filter(({ name, freeSince }) => freeSince !== undefined && !taken.has(name))
      for (const left of tasks.filter(({ id }) => !given.has(id)))
        expect(idle.some((one) => fits(left.select ?? {}, one))).toBe(false)
    }),
    { seed: 9, numRuns: 1000 },
  )
})
