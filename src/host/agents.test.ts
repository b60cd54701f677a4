// Launched agents in a host of this process: what its doors refuse, and agents that get away from supervision.
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { newRoot, startedHost, untilIdle } from '../../test/kit/host.ts'
import type { agents as api, agent as own } from '../agent/api.ts'
import { end } from '../base/process/end.ts'
import { alive } from '../base/process/identity.ts'
import { type Client, call } from '../client/call.ts'
import { below, route } from '../client/route.ts'
import type { Scenario } from '../driver/scripted/scenario/schema.ts'
import { findKeepers } from '../keeper/find.ts'
import type { component } from './api.ts'
import type { Host } from './host.ts'

const list = route<typeof api.list>('GET', '/agents')
const launch = route<typeof api.launch>('POST', '/agents')
const status = route<typeof component.status>('GET', '/status')
const attach = route<typeof own.attach>('GET', '/attach')
const stop = route<typeof own.stop>('POST', '/stop')
const patience = { timeout: 60_000 }

const talk: Scenario = { scripts: [{ replies: [{ text: 'Heard.', times: 0 }] }] }

type Ground = { root: string; host: Host; client: Client; begin: (name: string) => Promise<unknown> }

const setUp = async (scenario: Scenario = talk, reportMs = 60_000): Promise<Ground> => {
  const root = newRoot({
    'roles/s.yaml': 'name: s\nagent_type: scripted\ninstructions: Work.\n',
    'scenario.json': JSON.stringify(scenario),
  })
  // A keeper takes its session along.
  onTestFinished(async () => {
    for (const found of await findKeepers(root)) await end(found, { grace: 0 })
  })
  const cwd = join(root, 'projects')
  mkdirSync(cwd)
  const env = { PATH: process.env.PATH ?? '', HOME: cwd, AGENCY_SCENARIO: join(root, 'scenario.json') }
  const host = await startedHost(root, { agents: { reportMs } }, true)
  await untilIdle(host)
  const client = { socket: host.socket }
  const begin = (name: string) => call(client, launch, { body: { role: 's', name, cwd, env } })
  return { root, host, client, begin }
}

type Answer = { readonly status: number; readonly text: string }
const post = (where: object, path: string, body: unknown): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const headers = {
      host: 'localhost',
      'content-type': 'application/json',
      ...('headers' in where ? (where.headers as object) : {}),
    }
    const asked = request({ ...where, path, method: 'POST', headers, agent: false }, async (response) =>
      resolve({ status: response.statusCode ?? 0, text: await text(response) }),
    )
    asked.once('error', reject)
    asked.end(JSON.stringify(body))
  })

const first = async (client: Client) => (await call(client, list, {})).agents[0] ?? expect.fail('no agent')

test('an agent without a hook is unsupervised: the launch fails and nothing is left', async () => {
  const { root, client, begin } = await setUp({ ...talk, trouble: { no_hooks: true } }, 3_000)
  await expect(begin('a')).rejects.toMatchObject({
    code: 'launch_failed',
    message: 'The agent "a" did not start: its first hook did not report within 3 s.',
    problems: expect.arrayContaining([expect.stringContaining('Welcome to Claude Code')]),
  })
  expect((await call(client, list, {})).agents).toEqual([])
  expect(await findKeepers(root)).toEqual([])
})

test('a tool result that never asked: the agent is stopped and said to have got away', async () => {
  const { root, client, begin } = await setUp()
  await begin('a')
  const [keeper] = await findKeepers(root)
  const { path } = JSON.parse(readFileSync(join(root, 'sessions/a/heard.json'), 'utf8'))
  const result = { type: 'tool_result', tool_use_id: 'toolu_unasked', content: 'it ran' }
  mkdirSync(join(path, '..'), { recursive: true })
  appendFileSync(path, `${JSON.stringify({ type: 'user', message: { role: 'user', content: [result] } })}\n`)
  await expect
    .poll(async () => (await first(client)).text, patience)
    .toMatch(/^exited .*was unsupervised: a tool ran without asking/)
  await expect.poll(() => keeper !== undefined && alive(keeper), patience).toBe(false)
})

test('hooks come by the socket only, for a known session only, and one id has one answer', async () => {
  const { root, host, client, begin } = await setUp()
  await begin('a')
  const { session } = await first(client)
  const input = {
    session_id: session,
    transcript_path: '/none',
    cwd: '/',
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_use_id: 'toolu_1',
    tool_input: { command: 'true' },
  }
  const hook = { agent: 'a', session, id: 'h-1', event: 'PreToolUse', input }
  const socket = { socketPath: host.socket }
  const token = readFileSync(join(root, 'token'), 'utf8').trim()
  const door = {
    host: '127.0.0.1',
    port: host.port,
    headers: { host: `127.0.0.1:${host.port}`, authorization: `Bearer ${token}` },
  }
  expect((await post(door, '/hook', hook)).status).toBe(404)
  expect((await post(door, '/telemetry', { ...hook, kind: 'logs' })).status).toBe(404)
  expect((await post(socket, '/hook', { ...hook, session: 'another' })).status).toBe(404)
  expect((await post(socket, '/hook', { ...hook, agent: 'b' })).status).toBe(404)
  // What cannot be read is no opinion of anybody.
  expect(
    (await post(socket, '/hook', { ...hook, id: 'h-0', input: { ...input, tool_name: '' } })).status,
  ).toBe(400)
  expect(await post(socket, '/hook', hook)).toEqual({ status: 204, text: '' })
  const config = { ...input, hook_event_name: 'ConfigChange', source: 'user_settings' }
  const refused = await post(socket, '/hook', { ...hook, id: 'h-2', input: config })
  expect([refused.status, JSON.parse(refused.text).decision]).toEqual([200, 'block'])
  // Under an id that was answered, even another question gets the same answer.
  expect(await post(socket, '/hook', { ...hook, id: 'h-2' })).toEqual(refused)
})

test('the next host knows the agent and answers the same', async () => {
  const { root, host, client, begin } = await setUp()
  await begin('a')
  const before = await first(client)
  const input = {
    session_id: before.session,
    transcript_path: '/none',
    cwd: '/',
    hook_event_name: 'ConfigChange',
    source: 'user_settings',
  }
  const hook = { agent: 'a', session: before.session, id: 'h-1', event: 'ConfigChange', input }
  const answer = await post({ socketPath: host.socket }, '/hook', hook)
  expect(answer.status).toBe(200)
  await host.finish({ reason: 'another follows', leave: true })
  const [keeper] = await findKeepers(root)
  const signal = (name: NodeJS.Signals) => process.kill(keeper?.pid ?? Number.NaN, name)
  // Slow to be met: until then nobody is told that the agent does not exist.
  signal('SIGSTOP')
  onTestFinished(() => void signal('SIGCONT'))
  const next = await startedHost(root, {}, true)
  const asked = call({ socket: next.socket }, below('agents/a', status), {})
  await expect(asked).rejects.toMatchObject({ code: 'not_ready', status: 503 })
  signal('SIGCONT')
  const after = await first({ socket: next.socket })
  expect([after.pid, after.keeper, after.state]).toEqual([before.pid, before.keeper, 'idle'])
  expect(await post({ socketPath: next.socket }, '/hook', hook)).toEqual(answer)
})

test('a launched agent is a component: status, attach, stop', async () => {
  const { root, client, begin } = await setUp()
  await begin('a')
  expect(await call(client, below('agents/a', status), {})).toMatchObject({
    type: 'agent',
    name: 'a',
    state: 'idle',
    config: { role: 's' },
  })
  const [found] = await findKeepers(root)
  expect((await call(client, below('agents/a', attach), {})).keeper).toEqual(found)
  const { agent, exit } = await call(client, below('agents/a', stop), { body: {} })
  expect([agent.state, exit?.asked, exit?.left]).toEqual(['exited', true, []])
  expect(found && alive(found)).toBe(false)
  await expect(call(client, below('agents/b', status), {})).rejects.toMatchObject({ code: 'not_found' })
})
