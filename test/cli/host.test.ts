// The verbs that begin and end things, on real processes.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { alive, type Identity, identify } from '../../src/base/process/identity.ts'
import { collect, type World, world } from './kit.ts'

const patience = { timeout: 60_000 }

const hostOf = (at: World): Identity => {
  const { pid, started } = JSON.parse(readFileSync(join(at.root, 'host.json'), 'utf8'))
  return { pid, started }
}

const started = async (...agents: string[]): Promise<World> => {
  const at = world()
  await at.agency(['init'])
  writeFileSync(join(at.root, 'roles/s.yaml'), 'name: s\nagent_type: scripted\ninstructions: Work.\n')
  for (const name of agents) {
    mkdirSync(join(at.root, 'agents', name))
    writeFileSync(join(at.root, 'agents', name, 'config.yaml'), 'role: s\n')
  }
  const { code, out, err } = await at.agency(['start'])
  expect([code, out], err).toEqual([0, expect.stringContaining('is up (pid')])
  return at
}

const states = async (at: World): Promise<Record<string, string>> => {
  const { components } = (await at.json(['list'])) as { components: { name: string; state: string }[] }
  return Object.fromEntries(components.map(({ name, state }) => [name, state]))
}

test('start makes the root that AGENCY_ROOT names; a second start finds the first', async () => {
  const at = world()
  const first = await at.json(['start'])
  const again = await at.json(['start'])
  expect([first.started, again.started, again.pid]).toEqual([true, false, first.pid])
  expect(alive(hostOf(at))).toBe(true)
})

test('looking starts nothing', async () => {
  const at = world()
  await at.agency(['init'])
  expect(await at.json(['status'])).toEqual({ up: false, root: at.root })
  expect(await at.json(['list'])).toEqual({ up: false, root: at.root, components: [] })
  expect((await at.agency(['down'])).code).toBe(0)
  expect(at.tree().filter((path) => /host\.json|host\.lock|agency\.db/.test(path))).toEqual([])
})

test('list, stop and shutdown tell the truth', async () => {
  const at = await started('a', 'b', 'c')
  await expect.poll(() => states(at), patience).toEqual({ a: 'idle', b: 'idle', c: 'idle' })
  expect((await at.agency(['stop', 'a'])).out).toBe('agents/a has ended.\n')
  expect(await states(at)).toEqual({ a: 'exited', b: 'idle', c: 'idle' })
  const missing = await at.agency(['stop', 'bb'])
  expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('Did you mean "b"')])
  expect((await at.agency(['shutdown', '--agents'])).code).toBe(0)
  expect(await states(at)).toEqual({ a: 'exited', b: 'exited', c: 'exited' })
  const host = hostOf(at)
  expect((await at.agency(['shutdown', '--all'])).out).toContain('The host has ended.')
  expect(alive(host)).toBe(false)
})

test('list --pod shows only that pod', async () => {
  const at = await started('a')
  expect((await at.json(['list', '--pod', '*'])).components).toHaveLength(1)
  expect((await at.json(['list', '--pod', 'x'])).components).toEqual([])
  expect((await at.json(['list'], { env: { AGENCY_POD: 'x' } })).components).toEqual([])
})

test('shutdown says which, and exactly one', async () => {
  const at = world()
  expect((await at.agency(['shutdown'])).err).toContain('exactly one of --all, --agents, --directors, --port')
  expect((await at.agency(['shutdown', '--all', '--agents'])).code).toBe(2)
  expect((await at.agency(['shutdown', '--port', '99999'])).err).toContain('from 1 to 65535')
})

test('down ends the host, and says so when it has', async () => {
  const at = await started()
  const host = hostOf(at)
  expect((await at.agency(['down'])).code).toBe(0)
  expect(alive(host)).toBe(false)
})

test('up in the foreground ends on Ctrl-C with 0; a second host is refused', async () => {
  const at = world()
  const child = at.start(['up'])
  const ended = collect(child)
  await expect.poll(async () => (await at.agency(['status'])).out, patience).toContain('is idle')
  const second = await at.agency(['up'])
  expect([second.code, second.err]).toEqual([1, expect.stringContaining('already runs')])
  child.kill('SIGINT')
  const { code, out } = await ended
  expect([code, out]).toEqual([0, expect.stringContaining('The host has ended.')])
})

test('kill --all ends a host that does not answer', async () => {
  const at = await started('a')
  const host = hostOf(at)
  process.kill(host.pid, 'SIGSTOP')
  expect((await at.agency(['kill', '--all', '--dry-run'])).out).toBe(`Would end: host (pid ${host.pid})\n`)
  expect(alive(host)).toBe(true)
  const { code, out } = await at.agency(['kill', '--all'])
  expect([code, out]).toEqual([0, `host (pid ${host.pid}) did not obey TERM and was killed\n`])
  expect(alive(host)).toBe(false)
  expect((await at.agency(['kill', '--all'])).out).toBe(`Nothing of ${at.root} runs.\n`)
  expect((await at.agency(['kill'])).code).toBe(2)
})

const bystander = async (): Promise<{ child: ChildProcess; whom: Identity }> => {
  const child = spawn(process.execPath, ['-e', "setInterval(()=>{},1000);console.log('up')"], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  if (child.stdout) await once(child.stdout, 'data')
  return { child, whom: identify(child.pid ?? 0) ?? expect.fail('no such process') }
}

test('kill --all never touches a stranger that has the pid of a host that died', async () => {
  const at = world()
  await at.agency(['init'])
  const { whom } = await bystander()
  const record = { pid: whom.pid, started: 'another time', socket: '/x', port: 1, version: '1' }
  writeFileSync(join(at.root, 'host.json'), JSON.stringify(record))
  expect((await at.agency(['kill', '--all'])).out).toBe(`Nothing of ${at.root} runs.\n`)
  expect(alive(whom)).toBe(true)
  const { findings } = (await at.json(['doctor'])) as {
    findings: { check: string; state: string; found: string }[]
  }
  expect(findings.find(({ check }) => check === 'left over')).toMatchObject({
    state: 'warning',
    found: expect.stringContaining('host.json'),
  })
})

test('two roots side by side do not know each other', async () => {
  const [one, two] = [await started('a'), await started('b')]
  await expect.poll(() => states(one), patience).toEqual({ a: 'idle' })
  await expect.poll(() => states(two), patience).toEqual({ b: 'idle' })
  await one.agency(['kill', '--all'])
  expect([(await one.json(['status'])).up, (await two.json(['status'])).up]).toEqual([false, true])
})
