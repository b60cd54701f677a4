// The loop of `npm run soak -- --only tasks`, short; and that it catches what is broken.
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { faultsOf, toil } from '../soak/tasks.ts'
import type { Event } from '../src/journal/schema.ts'

test('15 x kill -9 under 10 agents and tasks that wait: each has one result, none is lost or doubled', async () => {
  const done = await toil({ seed: 3, kills: 15, tasks: 30 })
  expect(done.kills).toBe(15)
  expect(done.completed + done.interrupted + done.cancelled).toBe(done.tasks)
  for (const count of [done.hosts, done.keepers, done.completed]) expect(count).toBeGreaterThan(0)
}, 900_000)

test('a task that ran twice at once is caught', async () => {
  const sabotage = ({ root }: { readonly root: string }) =>
    writeFileSync(join(dirname(root), 'runs/doubled'), '7\n')
  const ran = toil({ seed: 3, kills: 0, agents: 1, tasks: 2, sabotage })
  await expect(ran).rejects.toThrow('seed 3, after 0 kills: ran twice at once: 7')
}, 300_000)

const given = { id: 'task-a', number: 1, resumable: false }
const event = (type: string, data: Event['data'], subject = 'task:task-a'): Event => ({
  seq: 1,
  at: '2026-01-01T00:00:00.000Z',
  kind: 'state',
  type,
  subject,
  data,
})
const queued = event('task.queued', { state: 'queued' })
const working = event('task.changed', { state: 'working' })
const completed = event('task.changed', { state: 'completed', endedAt: 100 })
const interrupted = event('task.changed', { state: 'interrupted', endedAt: 100 })

test.each<[string, typeof given, readonly Event[], readonly number[], boolean, readonly string[]]>([
  ['all is well', given, [queued, working, completed], [50], true, []],
  [
    'told of after its result',
    given,
    [queued, working, completed, event('task.progress', { turns: 1 })],
    [50],
    true,
    [],
  ],
  ['cut off', given, [queued, working, interrupted], [50], false, []],
  [
    'lost',
    given,
    [],
    [],
    false,
    ['task-a was never stored', 'task-a has 0 results', 'task-a is left nowhere'],
  ],
  ['stuck', given, [queued, working], [50], false, ['task-a has 0 results', 'task-a is left working']],
  [
    'two results',
    given,
    [queued, working, completed, working, completed],
    [50],
    true,
    ['task-a has 2 results'],
  ],
  [
    'a lie',
    given,
    [queued, working, completed],
    [],
    false,
    ['task-a is completed, and its work 1, which began 0 times, never ended'],
  ],
  ['begun again', given, [queued, working, completed], [40, 50], true, ['task-a began its work 2 times']],
  [
    'after its result',
    { ...given, resumable: true },
    [queued, working, completed],
    [50, 150],
    true,
    ['task-a ran again after its result'],
  ],
  [
    'given up',
    { ...given, resumable: true },
    [queued, working, interrupted],
    [50],
    false,
    ['task-a may go on and did not'],
  ],
  [
    'nothing, when it was killed too often',
    { ...given, resumable: true },
    [queued, working, event('task.changed', { state: 'interrupted', endedAt: 100, failures: 10 })],
    [50],
    false,
    [],
  ],
])('the judge sees what is wrong: %s', (_, one, events, starts, ended, faults) => {
  expect(faultsOf(one, events, starts, ended)).toEqual(faults)
})
