import { expect, test } from 'vitest'
import type { Fact } from '../journal/schema.ts'
import { reduceOf } from '../state/rules.ts'
import { openStore } from '../store/sqlite.ts'
import { openBook } from './book.ts'
import { queueFact } from './rules.ts'
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

test('of those that are over the last hundred stay, for each agent; one that is not over always does', async () => {
  const store = await openStore({ file: ':memory:', reduce: reduceOf, now: () => new Date(0) })
  const writing: Promise<unknown>[] = []
  const record = (...facts: readonly Fact[]): void => void writing.push(store.append(facts))
  const book = await openBook({ store, record })
  const put = async (task: Task): Promise<void> => {
    await store.append([queueFact(task)])
    book.put(task)
  }
  const open = taskOf(0)
  await put(open)
  await put({ ...taskOf(0, 'other') })
  for (let at = 1; at <= 103; at += 1) {
    await put(taskOf(at))
    book.change({ ...taskOf(at), state: 'completed' })
  }
  await Promise.all(writing)
  const next = await openBook({ store, record })
  for (const each of [book, next]) {
    const ids = each.of('coder').map(({ id }) => id)
    expect([ids.length, ids[0], ids.at(-2), ids.at(-1)]).toEqual([
      101,
      'task-coder103',
      'task-coder4',
      'task-coder0',
    ])
    expect(each.find('coder', 'task-coder3')).toBeUndefined()
    expect(each.find('other', 'task-coder4')).toBeUndefined()
    expect(each.busy()).toEqual(['coder', 'other'])
  }
  expect(next.of('coder')).toEqual(book.of('coder'))
  await store.close()
})
