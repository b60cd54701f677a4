// A pod is launched, looked at, launched again and ended, as typed.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readHostFile } from '../../src/client/address.ts'
import { findKeepers } from '../../src/keeper/find.ts'
import { identified, processesOf, type Stage, stage } from '../agent/kit.ts'
import { program } from '../cli/kit.ts'

const talk = { scripts: [{ replies: [{ text: 'Heard.', times: 0 }] }] }
const role = (name: string, more = ''): string =>
  `name: ${name}\nagent_type: scripted\ninstructions: Work.\n${more}`

const team = `pod_name: backend
agents:
  - {role: lead}
  - {name: builder, role: s, count: 2, overrides: {model: opus}}
`

const prepared = async (template = team): Promise<Stage> => {
  const at = await stage(talk, { lead: role('lead') })
  writeFileSync(join(at.root, 'pods/templates/team.yaml'), template)
  return at
}

/** A role whose agent crashes as long as its scenario says so. */
const crashing = (at: Stage): ((crash: boolean) => void) => {
  const scenario = join(at.folder, 'crash.json')
  writeFileSync(join(at.root, 'roles/bad.yaml'), role('bad', `command: ${scenario}\n`))
  const set = (crash: boolean): void =>
    writeFileSync(scenario, JSON.stringify({ ...talk, ...(crash && { trouble: { crash_at_start: 7 } }) }))
  set(true)
  return set
}

const agentsIn = (data: Record<string, unknown>) =>
  (data.agents as { name: string; result: string }[]).map(({ name, result }) => [name, result])

test('every agent of the template is up; again, only what is missing is launched', async () => {
  const at = await prepared()
  const first = await at.agency(['pod', 'launch', 'team'])
  expect([first.code, first.out], first.err).toEqual([
    0,
    expect.stringMatching(
      /^lead: launched, idle, pid \d+\nbuilder-1: launched, idle, pid \d+\nbuilder-2: launched, .*\nThe pod "backend": 3 launched\.\n$/,
    ),
  ])
  expect(await at.agents()).toMatchObject([
    { name: 'lead', role: 'lead', pod: 'backend', state: 'idle' },
    { name: 'builder-1', role: 's', pod: 'backend', state: 'idle' },
    { name: 'builder-2', role: 's', pod: 'backend', state: 'idle' },
  ])
  const pids = (await at.agents()).map(({ pid }) => pid)
  expect((await at.agency(['stop', 'builder-1'])).code).toBe(0)
  const { sessions } = (await at.json(['session', 'list'])) as { sessions: object[] }
  expect(sessions).toMatchObject([
    { agent: 'builder-1', role: 's', pod: 'backend', overrides: { model: 'opus' }, state: 'exited' },
    { agent: 'builder-2', state: 'idle' },
    { agent: 'lead', role: 'lead', overrides: {}, state: 'idle' },
  ])
  const listed = await at.agency(['pod', 'list'])
  expect(listed.out).toMatch(
    /^POD .*\nteam +3\n\nRUNNING +AGENT .*\nbackend +builder-1 +s +exited .*\nbackend +builder-2 +s +idle\nbackend +lead +lead +idle\n$/,
  )
  const up = await at.agency(['pod', 'launch', 'team', '--dry-run'])
  expect(up.out).toContain('lead: already running')
  const again = await at.json(['pod', 'launch', 'team'])
  expect(again).toMatchObject({ root: at.root, template: 'team', pod: 'backend' })
  expect(agentsIn(again)).toEqual([
    ['lead', 'running'],
    ['builder-1', 'launched'],
    ['builder-2', 'running'],
  ])
  const now = await at.agents()
  expect(now.find(({ name }) => name === 'lead')?.pid).toBe(pids[0])
  expect(now.find(({ name }) => name === 'builder-2')?.pid).toBe(pids[2])
})

test('one that fails is said with its reason; the others stay up, and it can be launched later', async () => {
  const at = await prepared('agents: [{role: s}, {role: bad}, {role: lead}]\n')
  const crash = crashing(at)
  const { code, out, err } = await at.agency(['pod', 'launch', 'team'])
  expect([code, out], err).toEqual([
    1,
    expect.stringMatching(
      /^s: launched, .*\nbad: failed: The agent "bad" did not start: .*exit code 7[\s\S]*\nlead: launched, .*\nThe pod "team": 2 launched, 1 failed\.\n.*`agency pod launch team --pod team`/,
    ),
  ])
  expect((await at.agents()).map(({ name, state }) => [name, state])).toEqual([
    ['s', 'idle'],
    ['lead', 'idle'],
  ])
  crash(false)
  const again = await at.agency(['pod', 'launch', 'team', '--pod', 'team'])
  expect([again.code, again.out], again.err).toEqual([
    0,
    expect.stringContaining('The pod "team": 1 launched, 2 already running.'),
  ])
  // Of those that are up it is not said that they are launched.
  expect(again.err.match(/launching .*/g)).toEqual(['launching "bad" …'])
})

test('--pod wins over the environment, that over the template; a name in another pod is not taken for ours', async () => {
  const at = await prepared('pod_name: t\nagents: [{role: s}]\n')
  const h2 = join(at.folder, 'h2')
  symlinkSync(program, h2)
  const env = { H2_POD: 'e' }
  const dry = ['pod', 'launch', 'team', '--dry-run']
  expect((await at.json(dry)).pod).toBe('t')
  expect((await at.json(dry, { env })).pod).toBe('e')
  expect((await at.json([...dry, '--pod', 'f'], { env })).pod).toBe('f')
  const launched = await at.agency(['pod', 'launch', 'team', '--pod', 'f'], { env, as: h2 })
  expect([launched.code, launched.out], launched.err).toEqual([0, expect.stringContaining('s: launched')])
  expect(await at.agents()).toMatchObject([{ name: 's', pod: 'f' }])
  const other = await at.agency(['pod', 'launch', 'team'])
  expect([other.code, other.out]).toEqual([
    1,
    expect.stringContaining(
      's: failed: another agent has that name: it runs in the pod "f", with the role "s"',
    ),
  ])
  expect(await at.agents()).toMatchObject([{ name: 's', pod: 'f' }])
})

test('a dry run, a template that is wrong and a pod that would be refused whole start nothing', async () => {
  const at = await prepared()
  writeFileSync(
    join(at.root, 'roles/walled.yaml'),
    role('walled', 'capabilities: {can_execute_commands: true}\n'),
  )
  writeFileSync(join(at.root, 'pods/templates/walled.yaml'), 'agents: [{role: walled}]\n')
  writeFileSync(join(at.root, 'pods/templates/empty.yaml'), 'agents: [{role: s, count: 0}]\n')
  const before = at.tree()
  const dry = await at.agency(['pod', 'launch', 'team', '--dry-run'])
  expect([dry.code, dry.out], dry.err).toEqual([
    0,
    'lead: would be launched, role lead\nbuilder-1: would be launched, role s, model=opus\nbuilder-2: would be launched, role s, model=opus\nThe pod "backend": 3 would be launched.\nNothing was started (--dry-run).\n',
  ])
  for (const line of [
    ['pod', 'launch', 'tem'],
    ['pod', 'launch', '../team'],
    ['pod', 'launch', 'team', '--pod', 'A b'],
    ['pod', 'stop', '../x'],
  ])
    expect((await at.agency(line)).code, line.join(' ')).toBe(2)
  for (const more of [[], ['--dry-run']]) {
    const { code, out } = await at.agency(['pod', 'launch', 'walled', ...more])
    expect([code, out]).toEqual([
      1,
      expect.stringMatching(/^walled: failed: .*\n {4}.*a command cannot be held to that/),
    ])
  }
  const empty = await at.agency(['pod', 'launch', 'empty'])
  expect([empty.code, empty.out]).toEqual([0, 'The pod "empty": no agents.\nNothing was started.\n'])
  expect(at.tree()).toEqual(before)
  expect(readHostFile(at.root)).toBeUndefined()
})

test('two who launch the same pod at once make each agent once', async () => {
  const at = await prepared()
  await at.agency(['start'])
  const launch = () => at.agency(['pod', 'launch', 'team'])
  const said = await Promise.all([launch(), launch()])
  expect(said.map(({ code, out, err }) => [code, code === 0 ? '' : out + err])).toEqual([
    [0, ''],
    [0, ''],
  ])
  expect(await findKeepers(at.root)).toHaveLength(3)
})

test('a name that a configured agent has is refused at once', async () => {
  const at = await prepared()
  mkdirSync(join(at.root, 'agents/lead'), { recursive: true })
  writeFileSync(join(at.root, 'agents/lead/config.yaml'), 'role: s\n')
  await at.agency(['start'])
  for (const more of [['--dry-run'], []]) {
    const { code, out, err } = await at.agency(['pod', 'launch', 'team', ...more])
    expect([code, out], err).toEqual([1, expect.stringMatching(/^lead: failed: .*"lead" is already running/)])
  }
  expect((await at.agents()).map(({ name }) => name)).toEqual(['builder-1', 'builder-2'])
})

test('stop ends the agents of that pod and no other', async () => {
  const at = await prepared()
  await at.agency(['pod', 'launch', 'team'])
  await at.run('alone')
  await at.run('other', '--pod', 'backend-2')
  const keepers = await Promise.all(['lead', 'builder-1', 'builder-2'].map(at.keeper))
  const stranger = await at.agency(['pod', 'stop', 'backen'])
  expect([stranger.code, stranger.err]).toEqual([1, expect.stringContaining('Did you mean "backend"?')])
  const { code, out, err } = await at.agency(['pod', 'stop', 'backend'])
  expect([code, out], err).toEqual([
    0,
    expect.stringMatching(
      /^lead: ended, exited .*\nbuilder-1: ended, exited .*\nbuilder-2: ended, exited .*\nThe pod "backend": 3 ended\.\n$/,
    ),
  ])
  expect(keepers.flatMap(processesOf)).toEqual([])
  for (const name of ['alone', 'other']) identified((await at.until(name, { state: 'idle' })).pid)
  expect((await at.json(['pod', 'list'])).running).toMatchObject([
    { pod: 'backend-2', agents: [{ name: 'other' }] },
  ])
  expect((await at.agency(['pod', 'stop', 'backend'])).out).toBe(
    'The pod "backend": all its agents had already ended.\n',
  )
})

test('without a host a pod is still seen, and ended', async () => {
  const at = await prepared()
  await at.agency(['pod', 'launch', 'team'])
  await at.run('alone')
  const keepers = await Promise.all(['lead', 'builder-1', 'builder-2'].map(at.keeper))
  await at.killHost()
  expect((await at.json(['pod', 'list'])).running).toMatchObject([
    {
      pod: 'backend',
      agents: [{ name: 'builder-1' }, { name: 'builder-2' }, { name: 'lead', text: 'no host' }],
    },
  ])
  const stopped = await at.json(['pod', 'stop', 'backend'])
  expect(agentsIn(stopped).sort()).toEqual([
    ['builder-1', 'ended'],
    ['builder-2', 'ended'],
    ['lead', 'ended'],
  ])
  expect(keepers.flatMap(processesOf)).toEqual([])
  expect((await findKeepers(at.root)).map(({ agent }) => agent)).toEqual(['alone'])
})
