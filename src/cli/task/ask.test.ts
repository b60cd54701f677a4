// What is asked of a host that breaks the connection: whether it is asked again.
import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { json } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { hostSocket } from '../../client/address.ts'
import type { Call } from '../io.ts'
import { askContinue, askGive, type Owned } from './ask.ts'

const task: Owned = {
  id: 'task-1',
  agent: 'a',
  session: 's',
  preview: 'x',
  digest: 'd',
  at: 1,
  state: 'idle',
  prompts: 1,
}

/** Answers as a host would, and drops the first task and the first `continue`; `takes` = after it has stored it. */
const faulty = async (takes: boolean) => {
  const root = mkdtempSync(join(tmpdir(), 'agency-ask-'))
  const { path } = await hostSocket(root)
  await mkdir(dirname(path), { recursive: true })
  let [prompts, told] = [1, 0]
  const keys: unknown[] = []
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const { idempotency_key: key } = (await json(request)) as { idempotency_key?: unknown }
    if (keys.push(key) === 1) return request.socket.destroy()
    return response.end(JSON.stringify({ task_id: task.id, session_id: 's', status: 'queued' }))
  }
  const server = createServer((request, response) => {
    const say = (value: unknown) => response.end(JSON.stringify(value))
    if (request.url === '/status') return say({ state: 'idle', pid: process.pid })
    if (request.url === '/state')
      return say({ seq: 1, state: { task: { 'task-1': { ...task, prompts } }, session: {}, host: {} } })
    if (request.url === '/agents/a/task') return void take(request, response)
    told += 1
    if (takes || told > 1) prompts += 1
    if (told === 1) return request.socket.destroy()
    return say({ task_id: task.id, state: 'queued', session_id: 's' })
  })
  await new Promise<void>((done) => server.listen(path, done))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
    rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    rmSync(path, { force: true })
  })
  const line = { io: { self: ['/bin/false'] }, lists: {}, progress: () => undefined } as unknown as Call
  return { asker: { root, line }, seen: () => ({ prompts, told }), keys }
}

test.each([
  ['had stored it: it is not told twice', true, { prompts: 2, told: 1 }],
  ['had not: it is told again', false, { prompts: 2, told: 2 }],
])('a host that broke off %s', async (_, takes, expected) => {
  const { asker, seen } = await faulty(takes)
  await askContinue(asker, task, { prompt: 'more' })
  expect(seen()).toEqual(expected)
})

test('a task is given again under its key: for the host it is the same', async () => {
  const { asker, keys } = await faulty(true)
  const given = await askGive(asker, 'a', { prompt: 'x', idempotency_key: 'k' })
  expect([given.task_id, keys]).toEqual(['task-1', ['k', 'k']])
})
