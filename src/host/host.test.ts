import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { newRoot, startedHost, untilIdle } from '../../test/kit/host.ts'
import { freePort } from '../../test/kit/port.ts'
import { contract } from '../base/contract/schema.ts'
import { failure } from '../base/error/fail.ts'
import { readHostFile } from '../client/address.ts'
import { type Client, call } from '../client/call.ts'
import { events } from '../client/events.ts'
import { route as asked, below } from '../client/route.ts'
import type { Event } from '../journal/schema.ts'
import { fold } from '../state/rules.ts'
import type { State } from '../state/schema.ts'
import { host as api, component as componentApi } from './api.ts'
import type { Kind } from './component.ts'
import { type Host, startHost } from './host.ts'
import { route } from './http/route.ts'
import { plainAgent } from './kinds.ts'
import { aborted } from './within.ts'

const status = asked<typeof api.status>('GET', '/status')
const state = asked<typeof api.state>('GET', '/state')
const components = asked<typeof api.components>('GET', '/components')
const shutdown = asked<typeof api.shutdown>('POST', '/shutdown')

const bySocket = (host: Host): Client => ({ socket: host.socket })
/** The journal until now. */
const all = async (host: Host): Promise<Event[]> => {
  const { seq } = await call(bySocket(host), state, {})
  const seen: Event[] = []
  for await (const event of events(bySocket(host), { after: 0 })) {
    seen.push(event)
    if (event.seq >= seq) break
  }
  return seen
}
const tokenOf = (root: string) => readFileSync(join(root, 'token'), 'utf8').trim()

const work = contract({
  method: 'POST',
  path: '/work',
  summary: 'work',
  reply: z.strictObject({ done: z.boolean() }),
})
/** Busy until told; `stubborn` ignores the end of patience. */
const busyKind = ({ stubborn = false, task = true } = {}): { kind: Kind; free: () => void } => {
  let free: () => void = () => {}
  const freed = new Promise<void>((resolve) => {
    free = resolve
  })
  const kind: Kind = {
    ...(plainAgent as Kind),
    make: ({ report }) => ({
      routes: [route(work, () => ({ done: true }), { work: true })],
      start: async () => report('working'),
      currentTask: () =>
        task ? { id: 'task-1', started_at: '2026-01-01T00:00:00.000Z', prompt_preview: 'p' } : null,
      finish: ({ hurry }) => Promise.race(stubborn ? [freed] : [freed, aborted(hurry)]),
    }),
  }
  return { kind, free }
}

test('a host is up: socket and files for their owner only, and it says what it is', async () => {
  const root = newRoot()
  const host = await startedHost(root)
  await untilIdle(host)
  const mode = (path: string) => statSync(join(root, path)).mode & 0o777
  expect([
    mode('sockets'),
    mode('sockets/host.sock'),
    mode('host.json'),
    mode('token'),
    mode('agency.log'),
  ]).toEqual([0o700, 0o600, 0o600, 0o600, 0o600])
  expect(readHostFile(root)).toMatchObject({ pid: process.pid, port: host.port, socket: host.socket })
  expect(await call(bySocket(host), status, {})).toMatchObject({
    type: 'host',
    state: 'idle',
    pid: process.pid,
    root,
  })
  const byPort = { port: host.port, token: tokenOf(root) }
  expect(await call(byPort, status, {})).toMatchObject({ pid: process.pid })
  expect(Object.keys(await call({ port: host.port }, status, {}))).toEqual([
    'type',
    'interfaces',
    'version',
    'state',
  ])
  for (const token of [undefined, 'x', 'x'.repeat(64), `${tokenOf(root)}x`]) {
    const stranger = { port: host.port, ...(token !== undefined && { token }) }
    await expect(call(stranger, state, {})).rejects.toMatchObject({ code: 'unauthorized' })
  }
  const answer = await call(bySocket(host), state, {})
  expect(api.state.reply.parse(answer)).toEqual(answer)
})

test('a second host for the root is refused and disturbs nothing; after the end the next one starts', async () => {
  const root = newRoot()
  const host = await startedHost(root)
  await expect(startHost({ root })).rejects.toMatchObject({
    code: 'host_running',
    message: expect.stringContaining(`process ${process.pid}`),
  })
  expect(await call(bySocket(host), status, {})).toMatchObject({ type: 'host' })
  await host.finish({ reason: 'test', leave: true })
  expect([existsSync(join(root, 'host.json')), existsSync(host.socket)]).toEqual([false, false])
  const next = await startedHost(root)
  const { state: now } = await call(bySocket(next), state, {})
  expect(Object.values(now.host)).toMatchObject([
    { pid: process.pid, last: { pid: process.pid, how: 'stopped' } },
  ])
})

test('a root with a path longer than a socket may have works too', async () => {
  const deep = join(newRoot(), 'd'.repeat(90), 'e'.repeat(60))
  mkdirSync(deep, { recursive: true })
  const host = await startedHost(deep)
  expect(host.socket.length).toBeLessThan(101)
  expect(await call(bySocket(host), status, {})).toMatchObject({ root: deep })
  expect(statSync(join(deep, 'sockets/host.sock')).isSocket()).toBe(true)
})

/** A role whose program is always there. */
const scripted = { 'roles/s.yaml': 'name: s\nagent_type: scripted\ninstructions: Work.\n' }

test('components run, each failing alone, at their path and at their port', async () => {
  const stranger = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void stranger.close())
  await expect.poll(() => stranger.listening, { timeout: 20_000 }).toBe(true)
  const { port: taken } = stranger.address() as AddressInfo
  const port = await freePort()
  const root = newRoot({
    ...scripted,
    'agents/good/config.yaml': `role: s\nport: ${port}\nclaude: {model: sonnet}\n`,
    'agents/bad/config.yaml': 'port: many\n',
    'agents/empty/other.txt': '',
    'agents/full/config.yaml': `port: ${taken}\n`,
    'agents/Not-A-Name/config.yaml': '',
    'directors/gh/config.yaml': 'type: github\nname: gh\nrepo: o/r\n',
  })
  const host = await startedHost(root)
  await untilIdle(host)
  const { components: all } = await call(bySocket(host), components, {})
  expect(api.components.reply.parse({ components: all })).toEqual({ components: all })
  expect(all.map(({ id, state, message }) => [id, state, message])).toEqual([
    ['agents/bad', 'error', expect.stringContaining('agents/bad/config.yaml:1:7 port must be a number')],
    ['agents/empty', 'error', expect.stringContaining('does not exist')],
    [
      'agents/full',
      'error',
      expect.stringContaining(`port ${taken} of agents/full is used by another program`),
    ],
    ['agents/good', 'idle', undefined],
    ['directors/gh', 'error', expect.stringContaining('not available')],
  ])
  const own = asked<typeof componentApi.status>('GET', '/status')
  const good = below('agents/good', own)
  const shown = await call(bySocket(host), good, {})
  expect(componentApi.status.reply.parse(shown)).toEqual(shown)
  expect(shown).toMatchObject({
    type: 'agent',
    name: 'good',
    state: 'idle',
    current_task: null,
    config: { port, claude: { model: 'sonnet' } },
  })
  expect(await call({ port, token: tokenOf(root) }, own, {})).toMatchObject({ name: 'good' })
  expect(await call({ port }, own, {})).toEqual({
    type: 'agent',
    interfaces: ['statusable', 'taskable', 'observable', 'configurable'],
    version: shown.version,
    state: 'idle',
  })
  await expect(call(bySocket(host), below('agents/nobody', own), {})).rejects.toMatchObject({
    code: 'not_found',
  })
  const taskAt = (name: string) =>
    call(bySocket(host), { method: 'POST', path: `/agents/${name}/task` as '/status' } as never, {})
  await expect(taskAt('bad')).rejects.toMatchObject({ code: 'component_error', status: 503 })
  await expect(taskAt('good')).rejects.toMatchObject({ code: 'validation_error' })
  expect(readFileSync(join(root, 'agents/bad/agent.log'), 'utf8')).toContain('port must be a number')
  expect(readFileSync(join(root, 'agency.log'), 'utf8')).not.toContain(tokenOf(root))
})

test('two components with one port: the second is told who has it', async () => {
  const port = await freePort()
  const config = `role: s\nport: ${port}\n`
  const files = { ...scripted, 'agents/a/config.yaml': config, 'agents/b/config.yaml': config }
  const host = await startedHost(newRoot(files))
  await untilIdle(host)
  const { components: all } = await call(bySocket(host), components, {})
  expect(all.map(({ state }) => state).sort()).toEqual(['error', 'idle'])
  expect(all.find(({ state }) => state === 'error')?.message).toMatch(/is used by agents\/[ab]\./)
})

test('what a host that was killed while opening its socket left is cleared away', async () => {
  const root = newRoot({ 'sockets/.hzz9': '', 'sockets/hzz9': '' })
  await startedHost(root)
  expect(readdirSync(join(root, 'sockets')).sort()).toEqual(['host.sock', 'hzz9'])
})

test('a start that fails is undone', async () => {
  const root = newRoot({ 'config.yaml': 'host: {port: 80}\n' })
  await expect(startHost({ root })).rejects.toMatchObject({ code: 'config_invalid' })
  const stranger = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void stranger.close())
  await expect.poll(() => stranger.listening, { timeout: 20_000 }).toBe(true)
  const { port } = stranger.address() as AddressInfo
  writeFileSync(join(root, 'config.yaml'), `host: {port: ${port}}\n`)
  await expect(startHost({ root })).rejects.toMatchObject({
    code: 'port_in_use',
    message: expect.stringContaining(String(port)),
  })
  expect(existsSync(join(root, 'host.json'))).toBe(false)
  writeFileSync(join(root, 'config.yaml'), 'host: {port: 0}\n')
  await untilIdle(await startedHost(root))
})

test('while it drains: no new work, status answers, running work ends in its own time', async () => {
  const { kind, free } = busyKind()
  const host = await startedHost(newRoot({ 'agents/a/config.yaml': '{}' }), {
    kinds: [kind],
  })
  await untilIdle(host)
  const workAt = below('agents/a', asked<typeof work>('POST', '/work'))
  expect(await call(bySocket(host), workAt, {})).toEqual({ done: true })
  await expect(call(bySocket(host), shutdown, { body: { agents: true } })).rejects.toMatchObject({
    code: 'task_in_progress',
    status: 409,
    details: { task_id: 'task-1' },
  })
  await expect(call(bySocket(host), shutdown, { body: { all: true } })).rejects.toMatchObject({
    code: 'task_in_progress',
  })
  expect(await call(bySocket(host), shutdown, { body: { agents: true, timeout_seconds: 600 } })).toEqual({
    message: 'Shutdown initiated',
    drain_timeout: 600,
    components: ['agents/a'],
  })
  await expect(call(bySocket(host), workAt, {})).rejects.toMatchObject({ code: 'draining', status: 503 })
  const { components: draining } = await call(bySocket(host), components, {})
  expect(draining.map((each) => each.state)).toEqual(['draining'])
  free()
  const stateOf = async () =>
    (await call(bySocket(host), components, {})).components.map((each) => each.state)
  await expect.poll(stateOf, { timeout: 20_000 }).toEqual(['exited'])
  expect(host.status().state).toBe('idle')
})

test('hurry cuts a drain short, even for a component that does not listen', async () => {
  const { kind } = busyKind({ stubborn: true })
  const root = newRoot({ 'agents/a/config.yaml': '{}' })
  const host = await startedHost(root, { kinds: [kind] })
  await untilIdle(host)
  const finished = host.finish({ reason: 'test', leave: false, seconds: 86_400 })
  expect(host.status().state).toBe('draining')
  await expect(call(bySocket(host), status, {})).resolves.toMatchObject({ state: 'draining' })
  host.hurry()
  await finished
  await expect(host.ended).resolves.toBe('test')
  const next = await startedHost(root)
  const { state: now } = await call(bySocket(next), state, {})
  const told = (await all(next)).map(({ type, subject }) => `${type} ${subject.replace(/^host:.*/, 'host')}`)
  expect(told).toContain('component.lost component:agents/a')
  expect(told).not.toContain('component.stopped component:agents/a')
  expect(Object.values(now.host)).toMatchObject([{ last: { how: 'stopped' } }])
})

test('running work is cut short when its time is over', async () => {
  const { kind } = busyKind()
  const host = await startedHost(newRoot({ 'agents/a/config.yaml': '{}' }), { kinds: [kind] })
  await untilIdle(host)
  await host.finish({ reason: 'test', leave: false, seconds: 1 })
  await expect(host.ended).resolves.toBe('test')
})

test('asked again, an end can only come sooner', async () => {
  const { kind } = busyKind()
  const host = await startedHost(newRoot({ 'agents/a/config.yaml': '{}' }), { kinds: [kind] })
  await untilIdle(host)
  const stateOf = async () =>
    (await call(bySocket(host), components, {})).components.map((each) => each.state)
  await call(bySocket(host), shutdown, { body: { agents: true, timeout_seconds: 86_400 } })
  expect(await stateOf()).toEqual(['draining'])
  await call(bySocket(host), shutdown, { body: { agents: true, force: true } })
  await expect.poll(stateOf, { timeout: 20_000 }).toEqual(['exited'])
})

test('work is refused while starting', async () => {
  let go: () => void = () => {}
  const gate = new Promise<void>((resolve) => {
    go = resolve
  })
  const { kind } = busyKind({ task: false })
  const slow: Kind = {
    ...kind,
    make: (context) => ({ ...kind.make(context), start: () => gate.then(() => context.report('idle')) }),
  }
  const host = await startedHost(newRoot({ 'agents/a/config.yaml': '{}' }), { kinds: [slow] })
  const workAt = below('agents/a', asked<typeof work>('POST', '/work'))
  expect(host.status().state).toBe('starting')
  await expect(call(bySocket(host), workAt, {})).rejects.toMatchObject({ code: 'not_ready', status: 503 })
  go()
  await untilIdle(host)
  expect(await call(bySocket(host), workAt, {})).toEqual({ done: true })
})

test('a shutdown over the API ends the host after its answer', async () => {
  const root = newRoot({ 'agents/a/config.yaml': '{}' })
  const host = await startedHost(root)
  await untilIdle(host)
  expect(await call(bySocket(host), shutdown, { body: {} })).toEqual({
    message: 'Shutdown initiated',
    drain_timeout: 30,
    components: [],
  })
  await expect(host.ended).resolves.toBe('asked over the API')
  await expect(call(bySocket(host), status, {})).rejects.toMatchObject({ code: 'connection_lost' })
})

test('a host whose root is taken away ends by itself and leaves what is there now alone', async () => {
  const root = newRoot()
  const host = await startedHost(root, { lookout: 50 })
  renameSync(root, `${root}-moved`)
  onTestFinished(() =>
    rmSync(`${root}-moved`, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }),
  )
  mkdirSync(join(root, 'sockets'), { recursive: true })
  writeFileSync(join(root, 'sockets/host.sock'), 'of another')
  writeFileSync(
    join(root, 'host.json'),
    JSON.stringify({ pid: process.pid, started: 'x', socket: 's', port: 1, version: 'v' }),
  )
  await expect(host.ended).resolves.toBe('root_gone')
  expect(readHostFile(root)).toMatchObject({ started: 'x' })
  expect(readFileSync(join(root, 'sockets/host.sock'), 'utf8')).toBe('of another')
  expect(existsSync(join(root, 'agency.log'))).toBe(false)
})

test('a journal that cannot be written makes the host degraded, not dead; what waited is written later', async () => {
  let full = false
  const host = await startedHost(newRoot({ ...scripted, 'agents/a/config.yaml': 'role: s\n' }), {
    wrap: (store) => ({
      ...store,
      append: async (facts) => {
        if (full) throw failure('store_full', { file: 'agency.db' })
        return store.append(facts)
      },
    }),
  })
  await untilIdle(host)
  full = true
  await call(bySocket(host), shutdown, { body: { agents: true } })
  await expect
    .poll(() => host.status(), { timeout: 20_000 })
    .toMatchObject({
      state: 'degraded',
      message: expect.stringContaining('no space is left'),
    })
  expect((await call(bySocket(host), state, {})).state.component['agents/a']?.state).toBe('idle')
  full = false
  await expect.poll(() => host.status().state, { timeout: 30_000 }).toBe('idle')
  expect((await call(bySocket(host), state, {})).state.component['agents/a']?.state).toBe('exited')
})

test('a reader that folds the events behind a snapshot has the state of the host', async () => {
  const host = await startedHost(newRoot({ 'agents/a/config.yaml': '{}', 'agents/b/config.yaml': '{}' }))
  const first = await call(bySocket(host), state, {})
  const seen: Event[] = []
  const leave = new AbortController()
  onTestFinished(() => leave.abort())
  const reading = (async () => {
    for await (const event of events(bySocket(host), { after: first.seq, signal: leave.signal }))
      seen.push(event)
  })()
  await untilIdle(host)
  await call(bySocket(host), shutdown, { body: { agents: true } })
  const states = async () =>
    Object.values((await call(bySocket(host), state, {})).state.component).map((each) => each.state)
  await expect.poll(states, { timeout: 20_000 }).toEqual(['exited', 'exited'])
  const last = await call(bySocket(host), state, {})
  await expect.poll(() => seen.at(-1)?.seq, { timeout: 20_000 }).toBe(last.seq)
  expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, at) => first.seq + 1 + at))
  expect(seen.reduce<State>(fold, first.state)).toEqual(last.state)
  await host.finish({ reason: 'test', leave: true })
  leave.abort()
  await reading
})
