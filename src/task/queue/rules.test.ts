import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Message } from '../../message/schema.ts'
import { launched } from '../../session/rules.ts'
import type { Session } from '../../session/schema.ts'
import type { Task } from '../schema.ts'
import {
  type Candidate,
  claims,
  fits,
  isAtRest,
  nextDue,
  obstacleOf,
  type Wanted,
  whyWaiting,
} from './rules.ts'

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
  state: 'idle',
  freeSince: 0,
  ...more,
})
const coder = agent('coder', { role: 'coder', pod: 'web', labels: ['fast', 'node'] })

const atTerminal = { ...coder, terminal: true }
const shy = { ...atTerminal, named: true }
const by = (...roles: string[]) => ({ agent: 'boss', roles })

test.each<[Wanted, Candidate, boolean]>([
  [{}, coder, true],
  [{ select: { agent: 'coder' } }, coder, true],
  [{ select: { agent: 'other' } }, coder, false],
  [{ select: { role: 'coder', pod: 'web' } }, coder, true],
  [{ select: { role: 'coder', pod: 'api' } }, coder, false],
  [{ select: { labels: ['node'] } }, coder, true],
  [{ select: { labels: ['node', 'gpu'] } }, coder, false],
  [{ select: { role: 'coder' } }, shy, false],
  [{ select: { agent: 'coder', role: 'coder' } }, shy, true],
  [{ by: by('tester', 'coder') }, coder, true],
  [{ by: by('tester') }, coder, false],
  [{ by: by('tester'), select: { agent: 'coder' } }, coder, false],
  [{ by: by('coder') }, agent('x'), false],
  [{ asked: {} }, atTerminal, true],
  [{ asked: { model: 'opus' } }, atTerminal, false],
  [{ asked: { keepOpen: true } }, atTerminal, false],
  [{ asked: { resumable: true } }, atTerminal, false],
  [{ asked: { credentials: ['github-token'] } }, atTerminal, false],
  [{ asked: { model: 'opus', keepOpen: true } }, coder, true],
  [{ asked: { session: true }, session: 's' }, { ...atTerminal, session: 's' }, true],
  [{ asked: { session: true }, session: 's' }, { ...atTerminal, session: 't' }, false],
  [{ asked: {}, session: 's' }, { ...atTerminal, session: 't' }, true],
])('%j and %j: %s', (wanted, candidate, expected) => {
  expect(fits(wanted, candidate)).toBe(expected)
  expect(obstacleOf(wanted, [candidate]) === undefined).toBe(expected)
})

const list = 'Type `agency list` to see the agents; a headless one is made by a file agents/NAME/config.yaml.'
test.each<[Wanted, readonly Candidate[], string, string]>([
  [{}, [], 'there is no agent', list],
  [{ select: { agent: 'x' } }, [coder], 'there is no agent "x"', list],
  [
    { select: { role: 'ops', labels: ['fast', 'gpu'], pod: 'web' } },
    [coder],
    'there is no agent with the role "ops" and the label "fast" and the label "gpu" in the pod "web"',
    list,
  ],
  [{ by: by('ops', 'qa') }, [coder], 'there is no agent with the role "ops" or "qa"', list],
  [
    { select: { role: 'coder' } },
    [shy],
    '"coder" is at a terminal, where a person may be, and takes only what names it',
    'Type --agent coder, or launch it from a role that says `queue: true`.',
  ],
  [
    { asked: { model: 'opus' } },
    [shy],
    'the agents that fit are at a terminal, where a task has no model, credentials, keep_open or resumable of its own',
    'Leave those out, or make a headless agent: a file agents/NAME/config.yaml.',
  ],
])('nobody could ever do %j', (wanted, candidates, why, hint) => {
  expect(obstacleOf(wanted, candidates)).toEqual({ why, hint })
})

const works = (name: string, more: Partial<Candidate> = {}): Candidate =>
  agent(name, { state: 'working', freeSince: undefined, ...more })
const typedTo = { state: 'idle', busy: 'being typed to' } as const
test.each<[string | undefined, Partial<Task>, readonly Candidate[]]>([
  [undefined, {}, [agent('x')]],
  ['for an agent: x is working', {}, [works('x')]],
  [
    'for an agent: x is in error, y is being typed to',
    {},
    [works('x', { state: 'error' }), works('y', typedTo)],
  ],
  ['for an agent: none of 4 is free', {}, ['a', 'b', 'c', 'd'].map((name) => works(name))],
  ['for the agent "x": x is working', { select: { agent: 'x' } }, [works('x'), agent('y')]],
  ['for the agent "x": there is none any more', { select: { agent: 'x' } }, [agent('y')]],
  [
    'for an agent with the role "coder": y is limited',
    { select: { role: 'coder' } },
    [agent('x'), works('y', { role: 'coder', state: 'limited' })],
  ],
  ['until 20', { notBefore: 20 }, [agent('x')]],
])('waits %s', (expected, more, candidates) => {
  const one = task('a', more)
  const standing = { waiting: [one], candidates, paused: false, at: 10, iso: String }
  expect(whyWaiting(one, standing)).toBe(expected)
  expect(whyWaiting(one, { ...standing, paused: true })).toBe('because tasks that wait are paused')
})

test('what comes before it is counted, not what comes later', () => {
  const waiting = [task('a'), task('b', { at: 1 }), task('c', { at: 2 }), task('d', { at: 3 })]
  const standing = { waiting, candidates: [agent('x')], paused: false, at: 10, iso: String }
  const whys = waiting.map((one) => whyWaiting(one, standing))
  expect(whys).toEqual([
    undefined,
    'for an agent: 1 comes before it',
    'for an agent: 2 come before it',
    'for an agent: 3 come before it',
  ])
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
  const role = fc.constantFrom('a', 'b', 'c')
  const candidate = fc.record({
    role: fc.option(role, { nil: undefined }),
    free: fc.boolean(),
    kind: fc.constantFrom('headless', 'terminal', 'named'),
  })
  const wanted = fc.record({
    role: fc.option(role, { nil: undefined }),
    to: fc.option(fc.nat(5), { nil: undefined }),
    by: fc.option(fc.array(role), { nil: undefined }),
    model: fc.boolean(),
    priority: fc.nat(3),
    early: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(candidate, { maxLength: 6 }), fc.array(wanted, { maxLength: 8 }), (some, asked) => {
      const agents = some.map(({ role, free, kind }, at) =>
        agent(`x${at}`, {
          role,
          freeSince: free ? at : undefined,
          terminal: kind !== 'headless',
          named: kind === 'named',
        }),
      )
      const tasks = asked.map(({ role, to, by: roles, model, priority, early }, at) =>
        task(`t${at}`, {
          at,
          priority,
          select: { ...(role && { role }), ...(to !== undefined && { agent: `x${to}` }) },
          ...(roles && { by: by(...roles) }),
          asked: model ? { model: 'opus' } : {},
          ...(early && { notBefore: 11 }),
        }),
      )
      const made = claims(tasks, agents, 10)
      const [given, taken] = [new Set(made.map((one) => one.task)), new Set(made.map((one) => one.agent))]
      expect([given.size, taken.size]).toEqual([made.length, made.length])
      for (const { task: id, agent: name } of made) {
        const one = agents.find((each) => each.name === name) as Candidate
        const { notBefore, ...its } = tasks.find((each) => each.id === id) as Task
        const kept = [one.freeSince !== undefined, notBefore === undefined, fits(its, one)]
        expect(kept).toEqual([true, true, true])
        expect(one.named && its.select?.agent !== name).toBe(false)
        expect(its.by === undefined || its.by.roles.includes(one.role ?? '')).toBe(true)
      }
      const idle = agents.filter(({ name, freeSince }) => freeSince !== undefined && !taken.has(name))
      for (const left of tasks.filter(({ id, notBefore }) => !given.has(id) && notBefore === undefined))
        expect(idle.some((one) => fits(left, one))).toBe(false)
    }),
    { seed: 9, numRuns: 1000 },
  )
})

const born = launched({ id: 's', agent: 'coder', managed: true, reviewer: false, at: 0, reportMs: 30_000 })
const idle: Session = { ...born, started: true }
const message = (life: Message['life']) => ({ life }) as Message
test.each<[string, Session, readonly Message[], boolean, boolean]>([
  ['idle', idle, [], false, true],
  ['it starts', born, [], false, false],
  ['it works', { ...idle, turn: { since: 0, answered: false } }, [], false, false],
  [
    'in error it would lose one after the other',
    { ...idle, trouble: { what: 'x', next: 'y', since: 0 } },
    [],
    false,
    false,
  ],
  ['a person has begun a line', { ...idle, typed: 1 }, [], false, false],
  ['the prompt of a person came back', { ...idle, draft: true }, [], false, false],
  ['the prompt of a cancelled task came back', { ...idle, draft: true }, [], true, true],
  ['a person has begun a line after that', { ...idle, draft: true, typed: 1 }, [], true, false],
  ['a message waits', idle, [message('ended'), message('queued')], false, false],
  ['a message is being typed', idle, [message('sent')], false, false],
  ['a message lies in its own queue', idle, [message('accepted')], false, false],
  ['messages are over', idle, [message('ended'), message('failed'), message('withdrawn')], false, true],
])('at rest? %s', (_, session, messages, ours, expected) => {
  expect(isAtRest(session, messages, ours)).toBe(expected)
})
