import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { AgencyError } from '../base/error/fail.ts'
import { blocks } from '../client/sse.ts'
import type { Fact } from '../journal/schema.ts'
import { openStore } from '../store/sqlite.ts'
import { bellOf, ringing } from './bell.ts'
import { answerError } from './http/answer.ts'
import { type Watch, type WatchOptions, watchOf } from './watch.ts'

const fact = (text = ''): Fact => ({
  kind: 'activity',
  type: 'test.happened',
  subject: 'test:1',
  data: { text },
})

const setUp = async (options: Partial<WatchOptions> = {}) => {
  const bell = bellOf()
  const opened = await openStore({ file: ':memory:', reduce: () => () => undefined, now: () => new Date(0) })
  const store = ringing(opened, bell)
  const responses: ServerResponse[] = []
  const watch: Watch = watchOf({ store, bell, ...options })
  const server: Server = createServer((request, response) => {
    responses.push(response)
    try {
      const after = Number(new URL(request.url ?? '', 'http://x').searchParams.get('after'))
      void watch.from(after)(response)
    } catch (error) {
      answerError(response, error as AgencyError)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    watch.end()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await opened.close()
  })
  const read = async (after = 0): Promise<IncomingMessage> => {
    const { port } = server.address() as AddressInfo
    const [response] = (await once(
      get({ port, host: '127.0.0.1', path: `/?after=${after}`, agent: false }),
      'response',
    )) as [IncomingMessage]
    onTestFinished(() => void response.destroy())
    return response
  }
  return { store, watch, read, responses }
}

const take = async (response: IncomingMessage, count: number): Promise<number[]> => {
  const seen: number[] = []
  for await (const { id } of blocks(response)) {
    seen.push(Number(id))
    if (seen.length === count) break
  }
  return seen
}
const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, at) => first + at)

test('a reader gets what was and what comes, once and in order', async () => {
  const { store, read } = await setUp()
  await store.append(Array.from({ length: 100 }, () => fact()))
  const [all, some] = [take(await read(), 200), take(await read(90), 110)]
  for (let turn = 0; turn < 50; turn += 1) {
    await store.append([fact()])
    await store.transact('test:1', () => ({ facts: [fact()], value: undefined }))
  }
  expect(await all).toEqual(upTo(200))
  expect(await some).toEqual(upTo(200, 91))
})

test('a reader that does not read holds up nobody, and misses nothing', async () => {
  const { store, read, responses } = await setUp()
  const slow = await read()
  slow.pause()
  const quick = take(await read(), 300)
  const heavy = 'x'.repeat(50_000)
  for (let turn = 0; turn < 300; turn += 1) await store.append([fact(heavy)])
  expect(await quick).toEqual(upTo(300))
  // Of 15 MB at most one page waits in memory for it.
  expect(responses[0]?.writableLength).toBeLessThan(4_000_000)
  expect(await take(slow, 300)).toEqual(upTo(300))
})

test('one reader too many is told so; one that leaves makes room', async () => {
  const { read } = await setUp({ most: 2 })
  const [first] = [await read(), await read()]
  const refused = await read()
  expect(refused.statusCode).toBe(503)
  expect(JSON.parse(String((await once(refused, 'data'))[0]))).toMatchObject({ error: 'too_many_watchers' })
  first.destroy()
  await expect.poll(async () => (await read()).statusCode, { timeout: 20_000 }).toBe(200)
})

test('a silent journal still gives signs of life, and the end ends every reader', async () => {
  const { read, watch } = await setUp({ beat: 10 })
  const response = await read()
  let heard = ''
  response.on('data', (chunk) => {
    heard += chunk
  })
  await expect.poll(() => heard.length, { timeout: 20_000 }).toBeGreaterThan(12)
  expect(heard).toMatch(/^(:\n\n)+$/)
  watch.end()
  await once(response, 'end')
  expect((await read()).statusCode).toBe(200)
})
