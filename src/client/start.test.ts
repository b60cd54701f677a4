import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { alive, identify } from '../base/process/identity.ts'
import type { host as api } from '../host/api.ts'
import { readHostFile } from './address.ts'
import { type Client, call } from './call.ts'
import { events } from './events.ts'
import { route } from './route.ts'
import { reach } from './start.ts'

const status = route<typeof api.status>('GET', '/status')
const state = route<typeof api.state>('GET', '/state')
const program = resolve('build/host.js')
const starter = (root: string) => [process.execPath, program, root, '--yield'] as const

const newRoot = (): string => {
  const root = mkdtempSync(join(tmpdir(), 'agency-start-'))
  // One that lost slowly may win when the winner is killed here: whoever is there goes, until the root can go.
  onTestFinished(async () => {
    const gone = (): boolean => {
      const file = readHostFile(root)
      if (file && alive(file)) process.kill(file.pid, 'SIGKILL')
      rmSync(root, { recursive: true, force: true })
      return !existsSync(root)
    }
    await expect.poll(gone, { timeout: 60_000, interval: 200 }).toBe(true)
  })
  return root
}
const pidOf = async (client: Client): Promise<number> => {
  const answer = await call(client, status, {})
  return 'pid' in answer ? answer.pid : expect.fail('the host does not know us')
}
const started = async (client: Client) => {
  const seen: string[] = []
  const { seq } = await call(client, state, {})
  for await (const event of events(client, { after: 0 })) {
    if (event.type.startsWith('host.')) seen.push(event.type)
    if (event.seq >= seq) return seen
  }
  return seen
}
const patience = 60_000

test('without leave to start one, an absent host is said to be absent', async () => {
  await expect(reach(newRoot())).rejects.toMatchObject({ code: 'host_absent' })
})

test('of twenty that want a host at once one starts it, and all reach that one', async () => {
  const root = newRoot()
  const clients = await Promise.all(
    Array.from({ length: 20 }, () => reach(root, { start: starter(root), patience })),
  )
  const pids = await Promise.all(clients.map(pidOf))
  expect(new Set(pids).size).toBe(1)
  expect(readHostFile(root)?.pid).toBe(pids[0])
  expect((await started(clients[0] as Client)).filter((type) => type === 'host.started')).toHaveLength(1)
  expect(await pidOf(await reach(root))).toBe(pids[0])
})

test('a host that an agent starts is not marked as part of that agent', async () => {
  const root = newRoot()
  process.env.AGENCY_KEEPER = 'mark'
  process.env.AGENCY_ACTOR = 'coder'
  onTestFinished(() => {
    delete process.env.AGENCY_KEEPER
    delete process.env.AGENCY_ACTOR
  })
  const pid = await pidOf(await reach(root, { start: starter(root), patience }))
  const names = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  expect(names.filter((each) => /^AGENCY_(KEEPER|ACTOR)=/.test(each))).toEqual([])
  expect(names).toContain(`AGENCY_ROOT=${root}`)
})

test('a host that was killed is followed by one that knows it', async () => {
  const root = newRoot()
  mkdirSync(join(root, 'agents/a'), { recursive: true })
  mkdirSync(join(root, 'roles'), { recursive: true })
  writeFileSync(join(root, 'roles/s.yaml'), 'name: s\nagent_type: scripted\ninstructions: Work.\n')
  writeFileSync(join(root, 'agents/a/config.yaml'), 'role: s\nsandbox: { enabled: false }\n')
  const before = await reach(root, { start: starter(root), patience })
  const first = await pidOf(before)
  await expect.poll(async () => (await call(before, status, {})).state, { timeout: 20_000 }).toBe('idle')
  await expect.poll(() => started(before), { timeout: 20_000 }).toContain('host.idle')
  const whom = identify(first) ?? expect.fail('no host')
  process.kill(first, 'SIGKILL')
  await expect.poll(() => alive(whom), { timeout: 20_000 }).toBe(false)
  expect([existsSync(join(root, 'host.json')), existsSync(join(root, 'sockets/host.sock'))]).toEqual([
    true,
    true,
  ])
  const client = await reach(root, { start: starter(root), patience })
  const second = await pidOf(client)
  expect(second).not.toBe(first)
  const settled = async () => Object.values((await call(client, state, {})).state.host)
  await expect
    .poll(settled, { timeout: 20_000 })
    .toMatchObject([{ state: 'idle', pid: second, last: { pid: first, how: 'lost' } }])
  const { state: now } = await call(client, state, {})
  expect(now.component['agents/a']).toMatchObject({ state: 'idle' })
  expect(await started(client)).toEqual([
    'host.started',
    'host.idle',
    'host.lost',
    'host.started',
    'host.idle',
  ])
})

test('a paused host is waited for with a word, and never replaced', async () => {
  const root = newRoot()
  const pid = await pidOf(await reach(root, { start: starter(root), patience }))
  // Would it be tried, that would be told.
  const start = ['/no/such/program'] as const
  process.kill(pid, 'SIGSTOP')
  const said: string[] = []
  const refused = reach(root, { start, say: (message) => said.push(message), patience: 4_000 })
  await expect(refused).rejects.toMatchObject({
    code: 'host_silent',
    words: { next: expect.stringContaining(`kill -CONT ${pid}`) },
  })
  expect(said).toEqual([expect.stringContaining(`process ${pid}`)])
  const waiting = reach(root, { start, say: () => process.kill(pid, 'SIGCONT'), patience })
  expect(await pidOf(await waiting)).toBe(pid)
})

test('who needs a host while one is going gets the next one', async () => {
  const root = newRoot()
  const first = await reach(root, { start: starter(root), patience })
  const pid = await pidOf(first)
  await call(first, route<typeof api.shutdown>('POST', '/shutdown'), {})
  const next = await pidOf(await reach(root, { start: starter(root), patience }))
  expect(next).not.toBe(pid)
})

test('a host that cannot start says why', async () => {
  const root = newRoot()
  writeFileSync(join(root, 'config.yaml'), 'host:\n  prot: 1\n')
  await expect(reach(root, { start: starter(root), patience })).rejects.toMatchObject({
    code: 'host_not_started',
    message: expect.stringContaining('config.yaml:2'),
  })
  await expect(reach(root, { start: [process.execPath, '/nowhere.js'], patience })).rejects.toMatchObject({
    code: 'host_not_started',
  })
  await expect(reach(root, { start: ['/no/such/program'], patience })).rejects.toMatchObject({
    code: 'host_not_started',
    message: expect.stringContaining('ENOENT'),
  })
})

const run = async (root: string): Promise<ChildProcess> => {
  const child = spawn(process.execPath, [program, root], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout as NonNullable<typeof child.stdout>, 'data')
  return child
}

test('a signal ends a host cleanly; a second host in the foreground is refused', async () => {
  const root = newRoot()
  const child = await run(root)
  const other = spawn(process.execPath, [program, root], { stdio: ['ignore', 'ignore', 'pipe'] })
  onTestFinished(() => void other.kill('SIGKILL'))
  const [words] = (await once(other.stderr, 'data')) as [Buffer]
  expect(String(words)).toContain(`already runs for ${root} (process ${child.pid})`)
  expect(await once(other, 'exit')).toEqual([1, null])
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
  expect([existsSync(join(root, 'host.json')), existsSync(join(root, 'sockets/host.sock'))]).toEqual([
    false,
    false,
  ])
  expect(readFileSync(join(root, 'agency.log'), 'utf8')).toContain('"reason":"SIGTERM"')
})

test('a reader goes on where it was when the host comes back', async () => {
  const root = newRoot()
  const first = await run(root)
  const client = await reach(root)
  const seen: number[] = []
  const types: string[] = []
  const leave = new AbortController()
  const reading = (async () => {
    for await (const { seq, type } of events(client, { after: 0, signal: leave.signal, pause: 50 })) {
      seen.push(seq)
      types.push(type)
    }
  })()
  await expect.poll(() => types, { timeout: 20_000 }).toContain('host.idle')
  first.kill('SIGTERM')
  await once(first, 'exit')
  await run(root)
  await expect.poll(() => types.filter((type) => type === 'host.idle'), { timeout: 20_000 }).toHaveLength(2)
  expect(seen).toEqual(seen.map((_, at) => at + 1))
  expect(types).toContain('host.stopped')
  leave.abort()
  await reading
})
