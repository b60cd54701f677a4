// What a session's CLI asks on the loopback port, with a host that answers, is slow, or is not there.
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import {
  hook,
  json,
  mortal,
  open,
  orderIn,
  place,
  program,
  shell,
  standIn,
  tokens,
  until,
} from '../../test/kit/keeper.ts'
import { tool } from '../../test/kit/tool.ts'
import { alive, type Identity, identify } from '../base/process/identity.ts'
import type { Found } from './find.ts'
import { reachKeeper } from './reach.ts'

const input = { hook_event_name: 'PreToolUse', tool_name: 'Bash', big: 1e21, text: 'ä\u2028"' }
const refusal = (why: string): string =>
  `${why}. Nothing was allowed; retrying will not help until agency answers.`

test('a hook is put to the host as it came, and its answer given as it is', async () => {
  const { root, keeper } = await open()
  const host = await standIn(`${root}/host.sock`, ({ body }, response) =>
    (body.input as typeof input).tool_name === 'Bash'
      ? response.writeHead(200).end('{"decision":  "allow"}')
      : response.writeHead(204).end(),
  )
  expect(await hook(keeper, input)).toEqual({ status: 200, text: '{"decision":  "allow"}' })
  expect(await hook(keeper, { ...input, tool_name: 'Read' })).toEqual({ status: 204, text: '' })
  expect(host.asked[0]).toEqual({
    path: '/hook',
    body: { agent: 'coder', session: 's-1', id: expect.any(String), event: 'PreToolUse', input },
  })
  expect(new Set(host.asked.map(({ body }) => body.id)).size).toBe(2)
})

test('hooks share one line to the host, and one that the host has closed is opened again', async () => {
  const { root, keeper } = await open()
  const lines = new Set<unknown>()
  const host = await standIn(`${root}/host.sock`, (_, response) => {
    lines.add(response.socket)
    if (lines.size === 1 && host.asked.length === 5) response.setHeader('connection', 'close')
    json(response, { n: host.asked.length })
  })
  const answers: string[] = []
  for (let left = 10; left > 0; left -= 1) answers.push((await hook(keeper, input)).text)
  expect(answers).toEqual(Array.from({ length: 10 }, (_, at) => `{"n":${at + 1}}`))
  expect(lines.size).toBe(2)
})

test('while the host is away or starting, a hook waits and asks again under the same id', async () => {
  const { root, keeper } = await open()
  const answer = hook(keeper, input)
  await until(async () => (await keeper.status()).hooksWaiting === 1, 'the hook waits')
  const starting = await standIn(`${root}/host.sock`, (_, response) => json(response, {}, 503))
  await until(() => starting.asked.length >= 2, 'the starting host is asked again')
  await starting.stop()
  const ready = await standIn(`${root}/host.sock`, (_, response) => json(response, { decision: 'allow' }))
  expect(await answer).toEqual({ status: 200, text: '{"decision":"allow"}' })
  const ids = [...starting.asked, ...ready.asked].map(({ body }) => body.id)
  expect(new Set(ids).size).toBe(1)
  expect((await keeper.status()).hooksWaiting).toBe(0)
})

test('kill -9 of the host that started it: the session goes on, and its held hook is answered by the next', async () => {
  const root = place()
  const order = { opening: orderIn(root), launch: shell('echo up; while :; do sleep 1; done') }
  const first = spawn(process.execPath, [tool('keeper-host'), JSON.stringify(order), ...program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const host = identify(first.pid ?? 0)
  mortal(host)
  const said: { up?: { found: Found; child: Identity }; held?: string }[] = []
  createInterface({ input: first.stdout }).on('line', (line) => said.push(JSON.parse(line)))
  const { found, child } = await until(() => said.find(({ up }) => up)?.up, 'the session is up')
  mortal(found)
  const keeper = await reachKeeper(found)
  onTestFinished(keeper.close)
  const answer = hook(keeper, input)
  const id = await until(() => said.find(({ held }) => held)?.held, 'the host holds the hook')
  process.kill(first.pid ?? 0, 'SIGKILL')
  await until(() => host && !alive(host), 'the host is gone')
  await until(async () => (await keeper.status()).hooksWaiting === 1, 'the hook still waits')
  expect(alive(child)).toBe(true)
  const next = await standIn(`${root}/host.sock`, (_, response) => json(response, { decision: 'allow' }))
  expect(await answer).toEqual({ status: 200, text: '{"decision":"allow"}' })
  expect(next.asked.map(({ body }) => body.id)).toEqual([id])
  expect((await keeper.status()).state).toBe('running')
  expect(alive(child)).toBe(true)
  expect(await keeper.end(20_000)).toMatchObject({ asked: true, signal: 'SIGTERM', left: [] })
})

test.each([
  [{ hook_event_name: 'Hasty' }, 200, { block: [refusal("agency's host did not answer within 0 s")] }],
  [
    { hook_event_name: 'Hasty', active: true },
    200,
    { told: refusal("agency's host did not answer within 0 s") },
  ],
  [{ hook_event_name: 'Unknown' }, 503, { error: refusal("agency's host did not answer within 0 s") }],
])('without a host %j is refused when its time is over', async (input, status, body) => {
  const { keeper } = await open()
  const sent = await hook(keeper, input)
  expect({ ...sent, text: JSON.parse(sent.text) }).toEqual({ status, text: body })
})

test('an event that decides nothing is let go without an opinion', async () => {
  const { keeper } = await open()
  expect(await hook(keeper, { hook_event_name: 'Watch' })).toEqual({ status: 204, text: '' })
})

test.each([
  [500, '{"decision":"allow"}', 'the host answered 500'],
  [403, '{"decision":"allow"}', 'the host answered 403'],
  [200, 'allow', 'the host answered something else than a JSON object'],
  [200, '', 'the host answered something else than a JSON object'],
])('a host that answers %i %s is no permission', async (status, text, why) => {
  const { root, keeper } = await open()
  await standIn(`${root}/host.sock`, (_, response) => void response.writeHead(status).end(text))
  const sent = await hook(keeper, input)
  expect({ ...sent, text: JSON.parse(sent.text) }).toEqual({
    status: 200,
    text: { decision: 'deny', reason: refusal(why) },
  })
})

test('the host hears of a hook that nobody waits for any more, and of one that was too late for it', async () => {
  const { root, keeper } = await open()
  const held = await standIn(`${root}/host.sock`, ({ body }, response) => {
    if (body.closed !== undefined) response.writeHead(204).end()
  })
  const leaving = new AbortController()
  const left = hook(keeper, input, { signal: leaving.signal }).catch(() => 'left')
  await until(() => held.asked.length === 1, 'the host holds it')
  leaving.abort()
  expect(await left).toBe('left')
  await until(() => held.asked.length === 2, 'it hears that the CLI has gone')
  expect((await hook(keeper, { hook_event_name: 'Hasty' })).status).toBe(200)
  await until(() => held.asked.length === 4, 'it hears that the time is over')
  const [first, closed, second, late] = held.asked.map(({ body }) => body)
  expect(closed).toEqual({
    agent: 'coder',
    session: 's-1',
    id: first?.id,
    event: 'PreToolUse',
    closed: 'gone',
  })
  expect(late).toEqual({ agent: 'coder', session: 's-1', id: second?.id, event: 'Hasty', closed: 'late' })
})

test('a hook that the host never saw is not reported to it', async () => {
  const { root, keeper } = await open()
  expect((await hook(keeper, { hook_event_name: 'Hasty' })).status).toBe(200)
  const host = await standIn(`${root}/host.sock`, (_, response) => void response.writeHead(204).end())
  expect((await hook(keeper, input)).status).toBe(204)
  expect(host.asked.map(({ body }) => body.event)).toEqual(['PreToolUse'])
})

/** By hand, because `fetch` does not let one lie about Host and Origin. */
const raw = (port: number, method: string, path: string, headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', method, path, headers }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sent.once('error', reject)
    sent.end(method === 'POST' ? JSON.stringify(input) : undefined)
  })

test('only the token of this session on its own path opens the door, and no web page', async () => {
  const { root, keeper } = await open()
  const host = await standIn(`${root}/host.sock`, (_, response) => json(response, { decision: 'allow' }))
  const { port } = keeper.found
  const right = { authorization: `Bearer ${tokens.hookToken}` }
  const cases: [string, string, Record<string, string>, number][] = [
    ['POST', '/hook', {}, 401],
    ['POST', '/hook', { authorization: `Bearer ${tokens.hookToken}x` }, 401],
    ['POST', '/hook', { authorization: `Bearer ${tokens.telemetryToken}` }, 401],
    ['POST', '/hook', { authorization: tokens.hookToken }, 401],
    ['POST', '/v1/logs', right, 401],
    ['POST', '/hook', { ...right, origin: 'http://127.0.0.1' }, 403],
    ['POST', '/hook', { ...right, host: `127.evil.com:${port}` }, 421],
    ['POST', '/', right, 404],
    ['POST', '/constructor', right, 404],
    ['GET', '/hook', right, 405],
    ['POST', '/hook', right, 200],
  ]
  for (const [method, path, headers, status] of cases)
    expect([method, path, headers, await raw(port, method, path, headers)]).toEqual([
      method,
      path,
      headers,
      status,
    ])
  expect(host.asked.length).toBe(1)
})

test.each(['', '{', '[]', '"x"', 'null'])('the body %j is refused', async (body) => {
  const { keeper } = await open()
  expect((await hook(keeper, body)).status).toBe(400)
})

test('a body beyond all measure is refused, and the next hook is served', async () => {
  const { root, keeper } = await open()
  await standIn(`${root}/host.sock`, (_, response) => void response.writeHead(204).end())
  const huge = hook(keeper, `{"x":"${'x'.repeat(20 * 1024 * 1024)}"}`)
  expect(
    await huge.then(
      ({ status }) => status,
      () => 'broken off',
    ),
  ).not.toBe(200)
  expect((await hook(keeper, input)).status).toBe(204)
})

test('50 hooks at once reach the host once each', async () => {
  const { root, keeper } = await open()
  const host = await standIn(`${root}/host.sock`, ({ body }, response) =>
    json(response, { for: (body.input as { n: number }).n }),
  )
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) => hook(keeper, { hook_event_name: 'PreToolUse', n })),
  )
  expect(answers.map(({ text }) => JSON.parse(text).for)).toEqual(Array.from({ length: 50 }, (_, n) => n))
  expect(host.asked.length).toBe(50)
})

test('telemetry is taken at once, held while the host is away, and what is too much is counted', async () => {
  const { root, keeper } = await open()
  const send = (path: string, body: object) => hook(keeper, body, { path, token: tokens.telemetryToken })
  const piece = randomUUID().repeat(3_000)
  for (let n = 0; n < 30; n += 1)
    expect(await send('/v1/logs', { n, piece })).toEqual({ status: 200, text: '{}' })
  const { telemetryDropped } = await keeper.status()
  expect(telemetryDropped).toBeGreaterThan(5)
  const host = await standIn(`${root}/host.sock`, (_, response) => json(response, {}))
  expect((await send('/v1/metrics', { last: true })).status).toBe(200)
  await until(() => host.asked.some(({ body }) => body.kind === 'metrics'), 'all that was held has arrived')
  const logs = host.asked.filter(({ body }) => body.kind === 'logs')
  expect(logs[0]).toMatchObject({
    path: '/telemetry',
    body: { agent: 'coder', session: 's-1', id: expect.any(String) },
  })
  const order = logs.map(({ body }) => (body.input as { n: number }).n)
  // The one that was on its way to the absent host may have come with the rest or gone with the dropped.
  expect(order.slice(1)).toEqual(
    Array.from({ length: order.length - 1 }, (_, n) => 30 - order.length + 1 + n),
  )
  expect(order.length + (await keeper.status()).telemetryDropped).toBe(30)
})
