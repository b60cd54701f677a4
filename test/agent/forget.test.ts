// What is over and cannot be resumed is not carried along for ever.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { call } from '../../src/client/call.ts'
import { route } from '../../src/client/route.ts'
import { reach } from '../../src/client/start.ts'
import { layout } from '../../src/config/layout/rules.ts'
import type { host as api } from '../../src/host/api.ts'
import { fact } from '../../src/journal/rules.ts'
import { launchFact } from '../../src/session/record/rules.ts'
import { reduceOf } from '../../src/state/rules.ts'
import { openStore } from '../../src/store/sqlite.ts'
import { patience, type Stage, stage } from './kit.ts'

const talk = { scripts: [{ replies: [{ text: 'Heard.', times: 0 }] }] }
const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costUsd: 0 }

const agentsOf = async (at: Stage): Promise<string[]> => {
  const { state } = await call(await reach(at.root), route<typeof api.state>('GET', '/state'), {})
  return Object.values(state.session)
    .map(({ agent }) => agent)
    .sort()
}

test('gc forgets what it removes; a launch under the same name leaves one record', async () => {
  const at = await stage(talk)
  for (const name of ['a', 'b']) expect((await at.run(name)).code).toBe(0)
  expect((await at.agency(['stop', 'a'])).code).toBe(0)
  expect(await agentsOf(at)).toEqual(['a', 'b'])
  const launched = (await at.journal('session.launched')).map(({ subject }) =>
    subject.replace('session:', ''),
  )
  const kept = layout(at.root).snapshots
  for (const id of launched) mkdirSync(join(kept, id), { recursive: true })
  expect((await at.agency(['session', 'gc', '--dry-run'])).code).toBe(0)
  expect(await agentsOf(at)).toEqual(['a', 'b'])
  expect((await at.agency(['session', 'gc'])).out).toContain('removed a')
  expect(await agentsOf(at)).toEqual(['b'])
  expect(readdirSync(kept)).toEqual(launched.slice(1))
  expect((await at.agents()).map(({ name }) => name)).toEqual(['b'])
  expect(await at.journal('session.forgotten')).toMatchObject([{ data: { agent: 'a' } }])
  // Without a host nobody is told; the next one sees it.
  for (let time = 0; time < 2; time++) {
    expect((await at.run('a')).code).toBe(0)
    expect((await at.agency(['stop', 'a'])).code).toBe(0)
  }
  expect(await agentsOf(at)).toEqual(['a', 'a', 'b'])
  await at.agency(['down'])
  await at.agency(['start'])
  await expect.poll(() => agentsOf(at), patience).toEqual(['a', 'b'])
  await at.agency(['down'])
  expect((await at.agency(['session', 'gc'])).out).toContain('removed a')
  await at.agency(['start'])
  await expect.poll(() => agentsOf(at), patience).toEqual(['b'])
  await at.until('b', { state: 'idle' })
})

test('2,000 sessions of the past: the host is up soon, and knows only those that can be resumed', async () => {
  const at = await stage(talk)
  const { store: file, sessions } = layout(at.root)
  const store = await openStore({ file, reduce: reduceOf, now: () => new Date() })
  const names = Array.from({ length: 2000 }, (_, index) => `old-${index}`)
  const launch = { managed: true, cwd: '/', overrides: {}, turns: 1, usage }
  await store.append(
    names.flatMap((agent) => [
      launchFact(agent, { agent, ...launch }),
      fact('session.changed', agent, { turns: 1, usage, state: { name: 'exited', code: 0, signal: null } }),
    ]),
  )
  await store.close()
  for (const agent of names.slice(0, 500)) {
    mkdirSync(join(sessions, agent), { recursive: true })
    writeFileSync(join(sessions, agent, 'heard.json'), '{}')
  }
  const began = performance.now()
  const { code, err } = await at.run('a')
  expect(code, err).toBe(0)
  expect(performance.now() - began).toBeLessThan(20_000)
  await expect.poll(async () => (await agentsOf(at)).length, patience).toBe(501)
  expect((await at.agents()).map(({ name }) => name)).toEqual(['a'])
})
