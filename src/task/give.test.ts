import { expect, onTestFinished, test } from 'vitest'
import { AgencyError } from '../base/error/fail.ts'
import type { Fact } from '../journal/schema.ts'
import { openDesk } from '../message/desk.ts'
import { launched } from '../session/rules.ts'
import type { Session } from '../session/schema.ts'
import { reduceOf } from '../state/rules.ts'
import { openStore } from '../store/sqlite.ts'
import { anybody, type Book, openBook } from './book.ts'
import { giveOf } from './give.ts'
import { forgetFact, queueFact } from './rules.ts'
import type { Task } from './schema.ts'

const born = launched({ id: 'now', agent: 'coder', managed: true, reviewer: false, at: 0, reportMs: 1e9 })
const session: Session = { ...born, started: true, ids: ['before', 'now'] }

const prompt = async (id: string) => (id === 'task-gone' ? undefined : `told ${id}`)

const stage = async () => {
  const store = await openStore({ file: ':memory:', reduce: reduceOf, now: () => new Date(0) })
  onTestFinished(() => store.close())
  const record = (...facts: readonly Fact[]): void => void store.append(facts)
  const open = async () => {
    const desk = await openDesk({ store, record, now: () => 1 })
    const book = await openBook({ store, record })
    return {
      desk,
      book,
      ...giveOf({ prompt, agent: 'coder', book, desk, session: () => session, now: () => 1 }),
    }
  }
  return { store, open, ...(await open()) }
}

const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'fine',
    (error: unknown) => (error instanceof AgencyError ? [error.code, error.status] : error),
  )

test('only the session that the agent is in takes it', async () => {
  const { give, book } = await stage()
  expect(await refusal(give({ prompt: 'x', session_id: 'before' }))).toEqual(['session_past', 409])
  expect(await refusal(give({ prompt: 'x', session_id: 'strange' }))).toEqual(['not_found', 404])
  expect(book.open('coder')).toEqual([])
  const id = await give({ prompt: 'x', session_id: 'now' })
  expect(book.open('coder')).toMatchObject([{ id, session: 'now', state: 'queued' }])
})

test('task and message are stored together; of two at once one is refused', async () => {
  const { give, store } = await stage()
  const both = await Promise.all([refusal(give({ prompt: 'one' })), refusal(give({ prompt: 'two' }))])
  expect(both).toEqual(['fine', ['agent_busy', 409]])
  const events = await store.events({ after: 0, limit: 10 })
  expect(events.map(({ type }) => type)).toEqual(['message.queued', 'task.queued'])
  const [message, task] = events
  expect(task?.subject.replace('task:', '')).toBe(message?.subject.replace('message:', ''))
})

test('a key is never used for a second task, not even when the first is forgotten', async () => {
  const { give, open, store, book } = await stage()
  const asked = { prompt: 'x', idempotency_key: 'k' }
  const id = await give(asked)
  expect(await give(asked)).toBe(id)
  expect(await refusal(give({ ...asked, timeout_seconds: 5 }))).toEqual(['idempotency_conflict', 409])
  const task = (await book.find('coder', id)) as Task
  await store.append([
    forgetFact(task),
    { kind: 'state', type: 'message.forgotten', subject: `message:${id}`, data: {} },
  ])
  const later = await open()
  expect(later.book.has('coder', id)).toBe(false)
  expect(await refusal(later.give(asked))).toEqual(['idempotency_conflict', 409])
  expect(await refusal(later.give({ ...asked, idempotency_key: 'other' }))).toBe('fine')
})

const finished = async (book: Book, id: string, more: Partial<Task> = {}): Promise<Task> => {
  const task = (await book.find('coder', id)) as Task
  const over: Task = { ...task, state: 'completed', startedAt: 1, endedAt: 1, ...more }
  book.put(over)
  return over
}

test('continued: another message in the same session, in one transaction; never two at once', async () => {
  const { give, proceed, book, store } = await stage()
  const id = await give({ prompt: 'one' })
  const open = (await book.find('coder', id)) as Task
  expect(await refusal(proceed(open, { prompt: 'more' }))).toEqual(['agent_busy', 409])
  const over = await finished(book, id)
  const both = [proceed(over, { prompt: 'two' }), proceed(over, { prompt: 'three' })].map(refusal)
  expect(await Promise.all(both)).toEqual(['fine', ['agent_busy', 409]])
  const events = await store.events({ after: 0, limit: 10 })
  expect(events.map(({ type, subject }) => `${type} ${subject}`)).toEqual([
    `message.queued message:${id}`,
    `task.queued task:${id}`,
    `message.queued message:${id}-2`,
    `task.changed task:${id}`,
  ])
  expect(book.open('coder')).toMatchObject([{ id, state: 'queued', prompts: 2 }])
})

test('what never began, or began in another session, is not continued', async () => {
  const { give, proceed, book } = await stage()
  const id = await give({ prompt: 'one' })
  const over = await finished(book, id, { session: 'before' })
  expect(await refusal(proceed(over, { prompt: 'x' }))).toEqual(['not_continuable', 409])
  const { startedAt: _, ...never } = await finished(book, id)
  expect(await refusal(proceed(never, { prompt: 'x' }))).toEqual(['not_continuable', 409])
})

test('a claim is stored with its message, or not at all', async () => {
  const { claim, give, book, store, desk } = await stage()
  const wait = async (id: string): Promise<Task> => {
    const of = { session: 'none', preview: '', digest: 'd', at: 0, prompts: 1, asked: {} }
    const task: Task = { id, ...of, state: 'queued', select: { agent: 'coder' } }
    await store.append([queueFact(task)])
    book.put(task)
    return task
  }
  const [first, second, gone] = [await wait('task-a'), await wait('task-b'), await wait('task-gone')]
  expect(await claim(gone)).toBe(true)
  expect(book.near(anybody, 'task-gone')).toMatchObject({ state: 'failed', error: { type: 'launch_error' } })
  // A moment later the agent has one already.
  expect(await Promise.all([claim(first), claim(second)])).toEqual([true, false])
  expect(desk.find('task-a')).toMatchObject({ to: 'coder', text: 'told task-a', life: 'queued' })
  expect(book.open('coder')).toMatchObject([{ id: 'task-a', agent: 'coder', session: 'now' }])
  expect(book.open(anybody).map(({ id }) => id)).toEqual(['task-b'])
  expect((await store.load('task:task-a'))?.state).toEqual(book.open('coder')[0])
  expect(await refusal(give({ prompt: 'x' }))).toEqual(['agent_busy', 409])
})
