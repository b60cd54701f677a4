// What a host keeps of tasks, as config.yaml says, from one host to the next.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newRoot, startedHost, untilIdle } from '../../test/kit/host.ts'
import { layout } from '../config/layout/rules.ts'
import { reduceOf } from '../state/rules.ts'
import { openStore } from '../store/sqlite.ts'
import { keepPrompt } from '../task/history/keep.ts'
import { queueFact } from '../task/rules.ts'
import type { Task } from '../task/schema.ts'

const taskOf = (id: string, at: number): Task => ({
  id,
  agent: 'coder',
  session: 's',
  preview: 'x',
  digest: 'd',
  at,
  state: 'completed',
  endedAt: at,
})

test('what is more, or older, than config.yaml says goes with its files; the rest is there for the next host', async () => {
  const now = Date.now()
  const root = newRoot({ 'config.yaml': 'history:\n  tasks: 3\n  days: 30\n' })
  const tasks = [
    taskOf('task-surplus', now - 50 * 86_400_000),
    taskOf('task-old', now - 40 * 86_400_000),
    taskOf('task-kept', now - 2),
    taskOf('task-new', now - 1),
  ]
  const file = layout(root).store
  const open = () => openStore({ file, reduce: reduceOf, now: () => new Date() })
  const before = await open()
  await before.append(tasks.map(queueFact))
  await before.close()
  for (const id of [...tasks.map(({ id }) => id), 'task-orphan']) await keepPrompt(root, id, 1, 'x')
  const there = (): readonly string[] =>
    [...tasks.map(({ id }) => id), 'task-orphan'].filter((id) => existsSync(join(root, 'history', id)))

  for (const _round of ['first', 'second']) {
    const host = await startedHost(root)
    await untilIdle(host)
    await expect.poll(there, { timeout: 60_000 }).toEqual(['task-kept', 'task-new'])
    host.hurry()
    await host.finish({ reason: 'the next one comes', leave: false })
    const store = await open()
    expect((await store.list('task')).kept.map(({ state }) => (state as Task).id)).toEqual([
      'task-kept',
      'task-new',
    ])
    await store.close()
  }
})

test('a history of nothing is refused with the line', async () => {
  const root = newRoot({ 'config.yaml': 'history:\n  tasks: 0\n' })
  await expect(startedHost(root)).rejects.toMatchObject({
    code: 'config_invalid',
    problems: ['config.yaml:2:10 history.tasks must be at least 1'],
  })
})
