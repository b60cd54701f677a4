import { expect, onTestFinished, test } from 'vitest'
import type { Fact } from '../journal/schema.ts'
import { reduceOf } from '../state/rules.ts'
import { openStore } from '../store/sqlite.ts'
import type { Store } from '../store/store.ts'
import { openBook } from './book.ts'
import { changeFact, queueFact } from './rules.ts'
import type { Task } from './schema.ts'

const taskOf = (at: number, agent = 'coder'): Task => ({
  id: `task-${agent}${at}`,
  agent,
  session: 's',
  preview: 'x',
  digest: 'd',
  at,
  state: 'queued',
})
const done = (task: Task): Task => ({ ...task, state: 'completed', endedAt: task.at + 1, output: 'o' })

const stage = async (most?: number) => {
  const loads: string[] = []
  const opened = await openStore({ file: ':memory:', reduce: reduceOf, now: () => new Date(0) })
  onTestFinished(() => opened.close())
  const store: Store = {
    ...opened,
    load: (subject) => {
      loads.push(subject)
      return opened.load(subject)
    },
  }
  let waiting: Fact[] = []
  const record = (...facts: readonly Fact[]): void => void waiting.push(...facts)
  const written = async (): Promise<void> => {
    const facts = waiting
    waiting = []
    await store.append(facts)
  }
  const open = () => openBook({ store, record, ...(most !== undefined && { most }) })
  const book = await open()
  const put = async (task: Task): Promise<void> => {
    await store.append([queueFact(task)])
    book.put(task)
  }
  return { store, book, open, put, written, loads }
}

test('of those that are over the last hundred stay, for each agent; one that is not over always does', async () => {
  const { book, put, open, written } = await stage()
  await put(taskOf(0))
  await put({ ...taskOf(0, 'other') })
  for (let at = 1; at <= 103; at += 1) {
    await put(taskOf(at))
    book.change(done(taskOf(at)))
  }
  const kept = { ...taskOf(2), state: 'idle' as const }
  book.change(kept)
  await written()
  const next = await open()
  for (const each of [book, next]) {
    const { tasks, total } = await each.page('coder', { limit: 200, page: 1 })
    const ids = tasks.map(({ id }) => id)
    expect([total, ids.length, ids[0], ids.at(-2), ids.at(-1)]).toEqual([
      101,
      101,
      'task-coder103',
      'task-coder4',
      'task-coder0',
    ])
    expect(await each.find('coder', 'task-coder3')).toBeUndefined()
    expect(await each.find('other', 'task-coder4')).toBeUndefined()
    expect(each.busy()).toEqual(['coder', 'other'])
    expect(each.open('coder')).toEqual([taskOf(0)])
    expect(each.latest('coder')).toEqual(done(taskOf(103)))
  }
  expect(await next.page('coder', { limit: 200, page: 1 })).toEqual(
    await book.page('coder', { limit: 200, page: 1 }),
  )
})

test('one that is idle is not over: it is never forgotten, and it counts for nothing', async () => {
  const { book, put } = await stage(2)
  const idle: Task = { ...taskOf(1), state: 'idle', output: 'o' }
  await put(taskOf(1))
  book.change(idle)
  for (let at = 2; at <= 6; at += 1) {
    await put(taskOf(at))
    book.change(done(taskOf(at)))
  }
  const ids = async (): Promise<readonly string[]> =>
    (await book.page('coder', { limit: 9, page: 1 })).tasks.map(({ id }) => id)
  expect(await ids()).toEqual(['task-coder6', 'task-coder5', 'task-coder1'])
  expect(book.open('coder')).toEqual([idle])
  // Over at last, it is the oldest that is.
  book.change(done(idle))
  expect(await ids()).toEqual(['task-coder6', 'task-coder5'])
})

test('what the store does not have yet is told from memory, for as long as that is so', async () => {
  const { book, put, written, store } = await stage()
  await put(taskOf(1))
  book.change(done(taskOf(1)))
  for (let at = 2; at <= 5; at += 1) await put(taskOf(at))
  // The disk is full, say: nothing of it is written.
  expect((await store.load('task:task-coder1'))?.state).toEqual(taskOf(1))
  expect(await book.find('coder', 'task-coder1')).toEqual(done(taskOf(1)))
  expect((await book.page('coder', { limit: 9, page: 1 })).tasks.at(-1)).toEqual(done(taskOf(1)))
  expect(book.near('coder', 'task-coder1')).toEqual(done(taskOf(1)))
  await written()
  await put(taskOf(6))
  while (book.near('coder', 'task-coder1') !== undefined) await new Promise(setImmediate)
  expect(await book.find('coder', 'task-coder1')).toEqual(done(taskOf(1)))
})

test('one that goes on after its end is open again, for the next host too', async () => {
  const { book, put, written, open } = await stage()
  await put(taskOf(1))
  book.change(done(taskOf(1)))
  await put(taskOf(2))
  book.change(done(taskOf(2)))
  const { endedAt: _endedAt, output: _output, ...rest } = done(taskOf(1))
  book.change({ ...rest, state: 'queued' })
  await written()
  for (const each of [book, await open()]) {
    expect(each.open('coder')).toEqual([{ ...rest, state: 'queued' }])
    expect(each.busy()).toEqual(['coder'])
  }
})

test('one that goes on while it is looked up stays in memory', async () => {
  const { book, put, written, store } = await stage()
  await put(taskOf(1))
  book.change(done(taskOf(1)))
  await written()
  await store.append([queueFact(taskOf(2))])
  book.put(taskOf(2))
  // In the same moment, before the store has told what it has.
  book.change({ ...taskOf(1), state: 'working' })
  for (let more = 10; more > 0; more -= 1) await new Promise(setImmediate)
  expect(book.near('coder', 'task-coder1')).toEqual({ ...taskOf(1), state: 'working' })
})

test('a root that keeps fewer than before forgets the rest when it starts', async () => {
  const { book, put, written, store } = await stage()
  for (const at of [1, 2, 3]) {
    await put(taskOf(at))
    book.change(done(taskOf(at)))
  }
  await put(taskOf(4))
  await written()
  const facts: Fact[] = []
  const record = (...said: readonly Fact[]): void => void facts.push(...said)
  const fewer = await openBook({ store, record, most: 1 })
  expect((await fewer.page('coder', { limit: 9, page: 1 })).tasks).toEqual([taskOf(4), done(taskOf(3))])
  expect(facts.map(({ type, subject }) => [type, subject])).toEqual([
    ['task.forgotten', 'task:task-coder1'],
    ['task.forgotten', 'task:task-coder2'],
  ])
})

test('a forgotten one stays forgotten, and whoever watches is told', async () => {
  const { book, put, written, open, store } = await stage()
  const heard: string[] = []
  book.watch((id, what) => heard.push(`${id} ${what}`))
  await put(taskOf(1))
  book.change(done(taskOf(1)))
  expect([book.tellsOf('s'), book.tellsOf('other')]).toEqual([true, false])
  expect(book.over()).toEqual([{ id: 'task-coder1', session: 's', agent: 'coder', at: 1, ended: 2 }])
  book.forget(['task-coder1', 'task-unknown'])
  expect(book.tellsOf('s')).toBe(false)
  book.change({ ...done(taskOf(1)), output: 'late' })
  expect(heard).toEqual(['task-coder1 over', 'task-coder1 forgotten', 'task-unknown forgotten'])
  await written()
  expect(await store.load('task:task-coder1')).toBeUndefined()
  for (const each of [book, await open()])
    expect(await each.page('coder', { limit: 9, page: 1 })).toEqual({ tasks: [], total: 0 })
})

test('of three thousand tasks only a page is read, also a deep one', async () => {
  const { store, open, loads } = await stage(5000)
  const tasks = Array.from({ length: 3000 }, (_, at) => done(taskOf(at)))
  await store.append(tasks.flatMap((task) => [queueFact(task), changeFact(task)]))
  const book = await open()
  loads.length = 0
  const { tasks: found, total } = await book.page('coder', { limit: 20, page: 140 })
  expect(total).toBe(3000)
  expect(found).toEqual(tasks.slice(200, 220).reverse())
  expect(loads).toHaveLength(20)
  const before = await book.page('coder', { limit: 2, page: 1, before: 'task-coder1000' })
  expect([before.total, ...before.tasks.map(({ id }) => id)]).toEqual([
    1000,
    'task-coder999',
    'task-coder998',
  ])
  expect(loads).toHaveLength(22)
})
