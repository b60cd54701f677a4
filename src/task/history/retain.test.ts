import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../../test/kit/keeper.ts'
import { openLog } from '../../base/log/open.ts'
import type { Fact } from '../../journal/schema.ts'
import { reduceOf } from '../../state/rules.ts'
import { openStore } from '../../store/sqlite.ts'
import { openBook } from '../book.ts'
import { queueFact } from '../rules.ts'
import type { Task } from '../schema.ts'
import { keepPrompt } from './keep.ts'
import { openRetention, type RetentionOptions } from './retain.ts'
import { keepOwner } from './session.ts'

const day = 86_400_000
const taskOf = (at: number, agent = 'coder'): Task => ({
  id: `task-${agent}${at}`,
  agent,
  session: 's',
  preview: 'x',
  digest: 'd',
  at,
  state: 'queued',
})
const done = (task: Task): Task => ({ ...task, state: 'completed', endedAt: task.at })

const stage = async (most: number) => {
  const root = mkdtempSync(join(tmpdir(), 'agency-retain-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  const log = openLog({
    file: join(root, 'log'),
    component: 'x',
    level: () => 'info',
    now: () => new Date(0),
  })
  onTestFinished(() => log.close())
  const store = await openStore({ file: ':memory:', reduce: reduceOf, now: () => new Date(0) })
  onTestFinished(() => store.close())
  const record = (...facts: readonly Fact[]): void => void store.append(facts)
  const book = await openBook({ store, record, most })
  const give = async (task: Task, text = 'x'): Promise<void> => {
    await keepPrompt(root, task.id, 1, text)
    await store.append([queueFact(task)])
    book.put(task)
  }
  const open = async (changes: Partial<RetentionOptions> = {}) => {
    const limits = { tasks: most, megabytes: 500 }
    const retention = await openRetention({ root, book, limits, now: () => 0, log, ...changes })
    onTestFinished(retention.close)
    return retention
  }
  const there = (task: Task): boolean => existsSync(join(root, 'history', task.id))
  const known = (task: Task): boolean => book.has(task.agent ?? '', task.id)
  return { root, book, give, open, there, known, log }
}

test('with a task its files go, and what has no task goes when a host starts', async () => {
  const { root, book, give, open, there } = await stage(2)
  await give(taskOf(1))
  await keepPrompt(root, 'task-orphan', 1, 'x')
  const retention = await open()
  await retention.settled()
  expect([there(taskOf(1)), existsSync(join(root, 'history/task-orphan'))]).toEqual([true, false])
  // Promised, and not yet given.
  await keepPrompt(root, 'task-soon', 1, 'x')
  book.change(done(taskOf(1)))
  for (let at = 2; at <= 4; at += 1) {
    await give(taskOf(at))
    book.change(done(taskOf(at)))
  }
  await retention.settled()
  expect([1, 2, 3, 4].map((at) => there(taskOf(at)))).toEqual([false, false, true, true])
  expect(existsSync(join(root, 'history/task-soon'))).toBe(true)
})

test('a session goes with its last task, and with one that a host before could not clear away', async () => {
  const { root, book, give, open } = await stage(1)
  const sessions = [1, 2, 3].map((digit) => `3f0c1a52-0000-4000-8000-00000000000${digit}`)
  const [first = '', second = '', third = ''] = sessions
  const work = (session: string): string => join(root, 'work', session)
  const own = async (id: string, session: string): Promise<void> => {
    mkdirSync(work(session), { recursive: true })
    await keepOwner(root, id, { agent: 'coder', session })
  }
  const end = async (at: number, session: string): Promise<void> => {
    const task = { ...taskOf(at), session }
    await give(task)
    await own(task.id, session)
    book.change(done(task))
  }
  const left = (): readonly boolean[] => sessions.map((session) => existsSync(work(session)))
  await own('task-orphan', third)
  await end(1, first)
  const retention = await open()
  await retention.settled()
  expect(left()).toEqual([true, false, false])
  await end(2, first)
  await retention.settled()
  // The first task is forgotten; the second goes on with its session.
  expect([existsSync(join(root, 'history', taskOf(1).id)), ...left()]).toEqual([false, true, false, false])
  await end(3, second)
  await retention.settled()
  expect(left()).toEqual([false, true, false])
  expect(book.tellsOf(first)).toBe(false)
})

test('where no task is known at all, nobody’s work is removed', async () => {
  const { root, open } = await stage(1)
  const session = '3f0c1a52-0000-4000-8000-000000000001'
  mkdirSync(join(root, 'work', session), { recursive: true })
  await keepOwner(root, 'task-orphan', { agent: 'coder', session })
  await (await open()).settled()
  expect(existsSync(join(root, 'work', session))).toBe(true)
  expect(existsSync(join(root, 'history/task-orphan'))).toBe(false)
})

test('those that were over too long ago go, at the start and as time passes; one that is idle stays', async () => {
  const { book, give, open, there, known } = await stage(100)
  const tasks = [taskOf(0), taskOf(1 * day), taskOf(2 * day)]
  for (const task of tasks) {
    await give(task)
    book.change(done(task))
  }
  await give(taskOf(1))
  book.change({ ...taskOf(1), state: 'idle' })
  let now = 1 * day + 1
  const limits = { tasks: 100, days: 1, megabytes: 500 }
  const retention = await open({ limits, now: () => now, pause: 20 })
  await retention.settled()
  expect(tasks.map(known)).toEqual([false, true, true])
  now = 2 * day + 1
  await until(() => !there(tasks[1] as Task), 'the next goes')
  expect(tasks.map(known)).toEqual([false, false, true])
  expect([known(taskOf(1)), there(taskOf(1))]).toEqual([true, true])
})

test('when their files are too much the oldest go, of whatever agent', async () => {
  const { book, give, open, there } = await stage(100)
  const text = 'x'.repeat(400_000)
  const [one, two, three] = [taskOf(1), taskOf(2, 'other'), taskOf(3)] as const
  await give(one, text)
  book.change(done(one))
  const retention = await open({ limits: { tasks: 100, megabytes: 1 } })
  await give(two, text)
  book.change(done(two))
  await retention.settled()
  expect([one, two].map(there)).toEqual([true, true])
  await give(three, text)
  book.change(done(three))
  await retention.settled()
  expect([one, two, three].map(there)).toEqual([false, true, true])
})

test('what cannot be removed is said, and holds up nothing', async () => {
  const { root, book, give, open, there, log } = await stage(1)
  mkdirSync(join(root, 'elsewhere'))
  mkdirSync(join(root, 'history'))
  symlinkSync(join(root, 'elsewhere'), join(root, 'history/task-link'))
  const retention = await open()
  for (const at of [1, 2]) {
    await give(taskOf(at))
    book.change(done(taskOf(at)))
  }
  await retention.settled()
  expect([1, 2].map((at) => there(taskOf(at)))).toEqual([false, true])
  expect(existsSync(join(root, 'elsewhere'))).toBe(true)
  expect(log.recent().map(({ task }) => task)).toEqual(['task-link'])
})
