import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { alive } from '../../src/base/process/identity.ts'
import { bash, write } from '../twin/say.ts'
import { castOf } from './cast.ts'
import { identified, patience } from './kit.ts'
import { begun, launch, made, rolesOf, staged, switchCases, told, waits } from './switch.ts'
import { brokenCases, killedSwitches } from './switch-broken.ts'
import { planCases } from './switch-plans.ts'
import { taskedCases } from './switch-tasked.ts'
import { ask } from './tasks.ts'

const make = castOf('scripted')
for (const [name, run] of Object.entries({ ...switchCases, ...brokenCases, ...taskedCases, ...planCases }))
  test(name, () => run(make))

test('one that does not start in the new role is stopped; resumed, it has that role, or another that was chosen', async () => {
  const at = await staged(make, () => [])
  await launch(at, 'reader')
  await at.say('a', 'hello')
  const { session } = await at.until('a', { state: 'idle', turns: 1 })
  const file = at.env.AGENCY_SCENARIO ?? ''
  const scenario = readFileSync(file, 'utf8')
  writeFileSync(file, JSON.stringify({ ...JSON.parse(scenario), trouble: { crash_at_start: 3 } }))
  const got = await ask(at, 'PUT', '/agents/a/role', { role: 'doer' })
  expect(got).toMatchObject({ status: 502, body: { error: 'switch_stopped' } })
  expect(got.body.message).toContain('exit code 3')
  await at.until('a', { state: 'exited', role: 'doer', session })
  expect((await told(at)).at(-1)).toBe('switched reader doer resume')
  writeFileSync(file, scenario)
  expect((await at.agency(['role', 'switch', 'a', 'reader'])).code).toBe(0)
  expect((await at.agency(['role', 'switch', 'a', 'doer'])).code).toBe(0)
  expect((await at.agency(['session', 'resume', 'a', '--detach'])).code).toBe(0)
  await at.until('a', { state: 'idle', role: 'doer', session, turns: 1 })
})

test('one that does not end when it is told to: what it does until it is killed is held by the new role', async () => {
  const at = await staged(make, (cwd) => [
    {
      match: 'plough',
      replies: [{ calls: [bash(waits)] }, { calls: [write(join(cwd, 'inside'))] }, { text: 'Late.' }],
    },
  ])
  const file = at.env.AGENCY_SCENARIO ?? ''
  const scenario = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...scenario, trouble: { ignore_sigterm: true } }))
  await launch(at, 'doer')
  await at.say('a', 'plough')
  await begun(at)
  const before = await at.until('a', { state: 'working', text: 'working (Bash)' })
  const old = identified(before.pid)
  const asked = ask(at, 'PUT', '/agents/a/role', { role: 'reader', confirm: true })
  await expect.poll(() => told(at), patience).toContain('switching doer reader narrowed')
  writeFileSync(join(at.cwd, 'go'), '')
  const got = await asked
  expect(got).toMatchObject({ status: 200, body: { when: 'now' } })
  expect(alive(old)).toBe(false)
  const decided = (await at.journal('session.decided')).map(
    ({ data }) => `${data.tool} ${data.verdict} ${data.rule}`,
  )
  expect(decided).toEqual(['Bash allow Bash', 'Write deny can_write_files'])
  expect(made(at, 'inside')).toBe(false)
})

test('what cannot be switched is refused, and nothing is touched', async () => {
  const at = await staged(make, () => [])
  writeFileSync(
    join(at.root, 'roles/other.yaml'),
    'name: other\nagent_type: command\ncommand: [cat]\ninstructions: x\n',
  )
  writeFileSync(
    join(at.root, 'roles/poor.yaml'),
    'name: poor\nagent_type: scripted\ninstructions: x\ncredentials: [github-token]\n',
  )
  writeFileSync(join(at.root, 'roles/torn.yaml'), 'name: torn\nbroken: yes\n')
  await launch(at, 'reader')
  await at.agency(['run', '--name', 'sh', '--detach', '--', 'cat'])
  const before = await at.agent('a')
  const put = async (agent: string, body: object) => {
    const got = await ask(at, 'PUT', `/agents/${agent}/role`, body)
    return [got.status, got.body.error]
  }
  expect(await put('a', { role: 'nobody' })).toEqual([404, 'role_not_found'])
  expect(await put('a', { role: 'torn' })).toEqual([400, 'role_invalid'])
  expect(await put('a', { role: 'other' })).toEqual([409, 'role_not_switchable'])
  expect(await put('a', { role: 'poor' })).toEqual([400, 'launch_refused'])
  expect(await put('a', { role: '../x' })).toEqual([400, 'validation_error'])
  expect(await put('a', { role: 'doer', because: 'x' })).toEqual([400, 'validation_error'])
  expect(await put('sh', { role: 'doer' })).toEqual([404, 'session_unknown'])
  expect(await put('never', { role: 'doer' })).toEqual([404, 'session_unknown'])
  // Agents switch nobody, themselves neither.
  const agent = await at.agency(['role', 'switch', 'a', 'doer'], { env: { AGENCY_ACTOR: 'a' } })
  expect([agent.code, agent.err]).toEqual([1, expect.stringContaining('agency role switch')])
  expect(await rolesOf(at)).toEqual(['reader', 'reader', 'reader', undefined])
  expect(await told(at)).toEqual([])
  expect((await at.agent('a'))?.pid).toBe(before?.pid)
})

test('one that was stopped before this host came is switched as it rests', async () => {
  const at = await staged(make, () => [])
  await launch(at, 'reader')
  await at.say('a', 'hello')
  const { session } = await at.until('a', { state: 'idle', turns: 1 })
  expect((await at.agency(['stop', 'a'])).code).toBe(0)
  await at.killHost()
  expect((await at.agency(['start'])).code).toBe(0)
  expect(await ask(at, 'PUT', '/agents/a/role', { role: 'doer' })).toMatchObject({
    status: 200,
    body: { agent: 'a', from: 'reader', to: 'doer', when: 'resume' },
  })
  expect((await at.agency(['session', 'resume', 'a', '--detach'])).code).toBe(0)
  await at.until('a', { state: 'idle', role: 'doer', session, turns: 1 })
})

test('two at once: the same wish is the same switch, another one is refused; who is stopped meanwhile stays so', async () => {
  const at = await staged(make, () => [])
  await launch(at, 'reader')
  const put = (role: string) => ask(at, 'PUT', '/agents/a/role', { role })
  const [one, two, other] = await Promise.all([put('doer'), put('doer'), put('s')])
  expect([one.status, two.status, other.body.error]).toEqual([200, 200, 'switch_running'])
  expect((await told(at)).filter((line) => line.startsWith('switched'))).toHaveLength(1)
  const [back, stopped] = await Promise.all([put('reader'), at.agency(['stop', 'a'])])
  expect([back.status === 200 || back.body.error, stopped.code]).toEqual([expect.anything(), 0])
  expect(await at.agent('a')).toMatchObject({ state: 'exited' })
})

test(
  'the host is killed at any moment of a switch: one role in every place, one process, one conversation',
  () => killedSwitches(make, { seed: 3, rounds: 6 }),
  300_000,
)
