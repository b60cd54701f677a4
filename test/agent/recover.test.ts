// Processes are killed at the worst moment; the agent goes on, or is said to be lost, and nothing is allowed meanwhile.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { alive } from '../../src/base/process/identity.ts'
import { findKeepers } from '../../src/keeper/find.ts'
import { identified, patience, processesOf, type Stage, stage } from './kit.ts'

const bash = (command: string) => ({ calls: [{ name: 'Bash', input: { command } }] })
const free = {
  s: 'name: s\nagent_type: scripted\ninstructions: Work.\npermissions:\n  allow: [Bash]\n',
}
const talk = { scripts: [{ replies: [{ text: 'Heard.', times: 0 }] }] }
const waitFor = (file: string): string => `while [ ! -e ${file} ]; do sleep 0.1; done`

const transcript = (at: Stage): string => {
  const { path } = JSON.parse(readFileSync(join(at.directory('a'), 'heard.json'), 'utf8'))
  return readFileSync(path, 'utf8')
}

test('kill -9 of the host in the middle of a call: the same child, the call runs to its end, the state is right', async () => {
  const at = await stage(
    { scripts: [{ replies: [bash(`${waitFor('go')}; echo it-ran`), { text: 'Done.' }] }] },
    free,
  )
  await at.run('a')
  await at.say('a', 'work')
  const before = await at.until('a', { state: 'working', text: 'working (Bash)' })
  await at.killHost()
  expect((await at.agency(['list'])).out).toContain(`a (keeper ${before.keeper})`)
  await at.agency(['start'])
  const after = await at.until('a', { state: 'working' })
  expect([after.pid, after.keeper, after.session]).toEqual([before.pid, before.keeper, before.session])
  writeFileSync(join(at.cwd, 'go'), '')
  await at.until('a', { state: 'idle', turns: 1, pid: before.pid as number })
  expect(transcript(at)).toContain('it-ran')
  expect(transcript(at)).not.toMatch(/denied|hook error/)
  // It goes on being supervised as before.
  expect(
    (await at.journal('session.changed')).map(({ data }) => (data.state as { name: string }).name),
  ).toEqual(['idle', 'working', 'idle'])
})

test('a hook that is asked while the host is away waits for the next one, and is not denied', async () => {
  const at = await stage(
    { scripts: [{ replies: [bash('touch ran'), { text: 'Done.' }], match: 'work' }] },
    free,
  )
  await at.run('a')
  const { pid } = await at.until('a', { state: 'idle' })
  const keeper = await at.keeper('a')
  await at.killHost()
  await at.say('a', 'work')
  await expect.poll(async () => (await keeper.status()).hooksWaiting, patience).toBe(1)
  expect(existsSync(join(at.cwd, 'ran'))).toBe(false)
  await at.agency(['start'])
  await at.until('a', { state: 'idle', turns: 1, pid: pid as number })
  expect(existsSync(join(at.cwd, 'ran'))).toBe(true)
})

test('a call that ran while the host was away is no escape', async () => {
  const at = await stage(
    { scripts: [{ replies: [bash(waitFor('go')), bash('touch second'), { text: 'Done.' }] }] },
    free,
  )
  await at.run('a')
  await at.say('a', 'work')
  await at.until('a', { state: 'working', text: 'working (Bash)' })
  const keeper = await at.keeper('a')
  await at.killHost()
  writeFileSync(join(at.cwd, 'go'), '')
  // Its end, and then the hook of the second call, wait for a host.
  await expect.poll(async () => (await keeper.status()).hooksWaiting, patience).toBeGreaterThan(0)
  await at.agency(['start'])
  await at.until('a', { state: 'idle', turns: 1 })
  expect(existsSync(join(at.cwd, 'second'))).toBe(true)
})

test('kill -9 of the keeper: the agent is lost with all its processes, and resumed as the same session', async () => {
  const at = await stage(talk)
  await at.run('a')
  await at.say('a', 'remember this')
  const before = await at.until('a', { state: 'idle', turns: 1 })
  const keeper = await at.keeper('a')
  process.kill(keeper.found.pid, 'SIGKILL')
  await expect.poll(() => processesOf(keeper), patience).toEqual([])
  const lost = await at.until('a', { state: 'lost' })
  expect(lost.next).toContain('agency session resume a')
  const { code, out, err } = await at.agency(['session', 'resume', 'a', '--detach'])
  expect([code, out], err).toEqual([0, expect.stringContaining('"a" is up')])
  const after = await at.until('a', { state: 'idle', session: before.session })
  expect(after.turns).toBe(1)
  await expect.poll(() => at.screen('a'), patience).toContain('remember this')
  await at.say('a', 'and this')
  await at.until('a', { state: 'idle', turns: 2 })
  expect((await at.agency(['session', 'resume', 'a', '--detach'])).err).toContain('already running')
})

test('keepers that died, and exits that happened, while no host was there', async () => {
  const at = await stage(talk)
  for (const name of ['a', 'b']) await at.run(name)
  const [a, b] = [await at.keeper('a'), await at.keeper('b')]
  await at.killHost()
  process.kill(a.found.pid, 'SIGKILL')
  await expect.poll(() => processesOf(a), patience).toEqual([])
  // Without a host, too, an agent can be ended.
  expect((await at.agency(['stop', 'b'])).out).toBe('agents/b has ended.\n')
  expect(processesOf(b)).toEqual([])
  await at.agency(['start'])
  await at.until('a', { state: 'lost' })
  await at.until('b', { state: 'exited' })
  expect(await findKeepers(at.root)).toEqual([])
})

test('an agent that ends by itself while no host is there has exited, with its code', async () => {
  const at = await stage(talk)
  await at.run('a')
  await at.agency(['run', '--name', 'sh', '--detach', '--', 'sh', '-c', `${waitFor('go')}; exit 3`])
  const [a, sh] = [await at.keeper('a'), await at.keeper('sh')]
  await at.killHost()
  await at.say('a', '/exit')
  writeFileSync(join(at.cwd, 'go'), '')
  for (const keeper of [a, sh])
    await expect.poll(async () => (await keeper.status()).state, patience).toBe('ended')
  await at.agency(['start'])
  await at.until('a', { state: 'exited', text: 'exited (code 0)' })
  await at.until('sh', { state: 'exited', text: 'exited (code 3)' })
  await expect.poll(() => findKeepers(at.root), patience).toEqual([])
  expect((await at.agency(['session', 'resume', 'sh', '--detach'])).err).toContain('no session of "sh"')
})

test('found again by a host, ended and resumed, it is still the same session', async () => {
  const at = await stage(talk)
  await at.run('a')
  await at.say('a', 'hello')
  const { session } = await at.until('a', { state: 'idle', turns: 1 })
  await at.killHost()
  await at.agency(['start'])
  await at.say('a', 'again')
  await at.until('a', { state: 'idle', turns: 2, session })
  expect((await at.agency(['stop', 'a'])).code).toBe(0)
  expect((await at.agency(['session', 'resume', 'a', '--detach'])).code).toBe(0)
  await at.until('a', { state: 'idle', turns: 2, session })
})

test('down leaves agents at work, the next host has them; shutdown --agents ends them', async () => {
  const at = await stage(talk)
  await at.run('a')
  const before = await at.until('a', { state: 'idle' })
  expect((await at.agency(['down'])).code).toBe(0)
  expect(alive(identified(before.pid))).toBe(true)
  await at.agency(['start'])
  await at.until('a', { state: 'idle', pid: before.pid as number })
  const keeper = await at.keeper('a')
  expect((await at.agency(['shutdown', '--agents'])).code).toBe(0)
  expect(processesOf(keeper)).toEqual([])
  await at.until('a', { state: 'exited' })
})

test('shutdown --all ends host and agents', async () => {
  const at = await stage(talk)
  await at.run('a')
  const [host, keeper] = [at.host(), await at.keeper('a')]
  expect((await at.agency(['shutdown', '--all'])).code).toBe(0)
  expect([alive(host), alive(keeper.found), processesOf(keeper)]).toEqual([false, false, []])
})

test('kill --all ends keepers too, with and without a host', async () => {
  const at = await stage(talk)
  await at.run('a')
  await at.run('b')
  const keepers = [await at.keeper('a'), await at.keeper('b')]
  expect((await at.agency(['kill', '--all', '--dry-run'])).out).toContain('keeper of a')
  await at.killHost()
  const { code, out } = await at.agency(['kill', '--all'])
  expect([code, out]).toEqual([0, expect.stringContaining('keeper of b')])
  for (const keeper of keepers) {
    await expect.poll(() => processesOf(keeper), patience).toEqual([])
    expect(alive(keeper.found)).toBe(false)
  }
})
