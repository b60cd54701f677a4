// `agency list` as a suspicious person reads it, and what agents may type.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { AgentEntry } from '../../src/agent/api.ts'
import { patience, type Stage, stage } from '../agent/kit.ts'

const talk = { scripts: [{ replies: [{ text: 'Heard.', times: 0 }] }] }
const namesIn = (out: string): string[] =>
  [...out.matchAll(/^ *(\w+) .* s +\d/gm)].map(([, name = '']) => name)

const threePods = async (): Promise<Stage> => {
  const at = await stage(talk)
  for (const [name, ...more] of [['x'], ['y', '--pod', 'a'], ['z', '--pod', 'b']] as [string, ...string[]][])
    expect((await at.run(name, ...more)).code).toBe(0)
  return at
}

test('all by pod, one pod by flag or environment, and every pod in spite of the environment', async () => {
  const at = await threePods()
  const list = async (args: string[], env = {}) => (await at.agency(['list', ...args], { env })).out
  const everything = await list([])
  expect(everything).toMatch(/^AGENT +STATE .*\nx +idle .*\npod a\n {2}y +idle .*\npod b\n {2}z +idle .*\n$/)
  // The columns of all of them stand below each other.
  const starts = everything.split('\n').flatMap((line) => / (idle|STATE)/.exec(line)?.index ?? [])
  expect(new Set(starts).size).toBe(1)
  expect(namesIn(await list(['--pod', 'a']))).toEqual(['y'])
  expect(namesIn(await list([], { AGENCY_POD: 'b' }))).toEqual(['z'])
  expect(namesIn(await list([], { H2_POD: 'b' }))).toEqual(['z'])
  expect(namesIn(await list(['--pod', 'a'], { AGENCY_POD: 'b' }))).toEqual(['y'])
  expect(namesIn(await list(['--pod', '*'], { AGENCY_POD: 'b' }))).toEqual(['x', 'y', 'z'])
  expect(namesIn(await list([], { AGENCY_POD: '' }))).toEqual(['x', 'y', 'z'])
  expect(await list(['--pod', 'nope'])).toBe('No components in the pod "nope".\n')
  expect(await at.agency(['list', '--pod', 'A\u001b[31m'])).toMatchObject({ code: 2, out: '' })
})

test('an agent whose keeper does not answer is silent, soon, and the others are as they were', async () => {
  const at = await threePods()
  const { keeper = -1 } = (await at.agent('y')) ?? {}
  process.kill(keeper, 'SIGSTOP')
  onTestFinished(() => void process.kill(keeper, 'SIGCONT'))
  // Again and again: on a busy machine others may be late too.
  await expect
    .poll(async () => (await at.agency(['list'])).out, patience)
    .toMatch(/x +idle .*[\s\S]*y +silent \(last: idle\) .*[\s\S]*z +idle /)
  const { agents } = (await at.json(['list'])) as { agents: AgentEntry[] }
  expect(agents.find(({ name }) => name === 'y')).toMatchObject({ state: 'idle', silent: true })
  process.kill(keeper, 'SIGCONT')
  await expect.poll(async () => (await at.agency(['list'])).out, patience).not.toContain('silent')
})

test('what ends is said once: not again of those that had ended before', async () => {
  const at = await threePods()
  await at.agency(['stop', 'x'])
  const some = await at.agency(['shutdown', '--agents'])
  expect([some.code, some.out.split('\n').sort()]).toEqual([
    0,
    ['', 'agents/y has ended', 'agents/z has ended'],
  ])
  expect((await at.agency(['shutdown', '--agents'])).out).toBe('There was nothing to end.\n')
  expect((await at.agency(['shutdown', '--all'])).out).toBe('The host has ended.\n')
})

test('an agent launches what its role delegates to, as it is, and ends nothing', async () => {
  const lead =
    'name: lead\nagent_type: scripted\ninstructions: Lead.\ncapabilities: {can_delegate_to_roles: [s]}\n'
  const at = await stage(talk, { lead })
  writeFileSync(join(at.root, 'roles/other.yaml'), 'name: other\nagent_type: scripted\ninstructions: Work.\n')
  const env = { AGENCY_ACTOR: 'boss', H2_ACTOR: 'boss', AGENCY_ROLE: 'lead', H2_ROLE: 'lead' }
  const run = (...more: string[]) => at.agency(['run', '--detach', ...more], { env })
  expect((await run('--role', 's', '--name', 'w')).code).toBe(0)
  for (const [more, why] of [
    [['--role', 'other'], 'may delegate to s, not to "other"'],
    [['--role', 's', '--name', 'v', '--override', 'model=opus'], 'only as it is'],
    [['--role', 's', '--name', 'v', '--', '--verbose'], 'only as it is'],
    [['--name', 'v', '--', 'sleep', '1000'], 'Only a person'],
  ] as [string[], string][]) {
    const { code, err } = await run(...more)
    expect([code, err], more.join(' ')).toEqual([1, expect.stringContaining(why)])
  }
  const stranger = { env: { AGENCY_ACTOR: 'boss' } }
  expect((await at.agency(['run', '--role', 's', '--name', 'v'], stranger)).err).toContain('it has no role')
  for (const line of [
    ['stop', 'w'],
    ['kill', '--all'],
    ['down'],
    ['shutdown', '--all'],
    ['pod', 'stop', 'p'],
  ])
    expect(await at.agency(line, { env }), line.join(' ')).toMatchObject({ code: 1, out: '' })
  for (const line of [['list'], ['peek', 'w'], ['logs', 'w'], ['status']])
    expect((await at.agency(line, { env })).code, line.join(' ')).toBe(0)
  expect((await at.agents()).map(({ name, state }) => [name, state])).toEqual([['w', 'idle']])
})
