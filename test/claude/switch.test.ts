import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { castOf } from '../agent/cast.ts'
import { patience, stage } from '../agent/kit.ts'
import { switchCases } from '../agent/switch.ts'
import { brokenCases, killedSwitches } from '../agent/switch-broken.ts'
import { planCases } from '../agent/switch-plans.ts'
import { taskedCases } from '../agent/switch-tasked.ts'
import { walledSwitchCases } from '../agent/switch-walled.ts'
import { ask } from '../agent/tasks.ts'
import { needWalls } from '../sandbox/kit.ts'
import { key } from '../twin/place.ts'
import { binaries } from '../twin/rig.ts'
import { seen } from './api/ask.ts'
import { serveApi } from './api/serve.ts'

needWalls()

const make = castOf('claude')
for (const [name, run] of Object.entries({
  ...switchCases,
  ...brokenCases,
  ...taskedCases,
  ...planCases,
  ...walledSwitchCases,
}))
  test(`claude: ${name}`, () => run(make))

const says = { planner: /operating in PLANNER role/, actor: /operating in ACTOR role/ }

/** A root whose agents are the real CLI, and what the model behind them was told last. */
const real = async () => {
  const scenario = {
    scripts: [
      { match: 'first', replies: [{ text: 'The word is plum.' }] },
      { replies: [{ text: 'Heard.', times: 0 }] },
    ],
  }
  const api = await serveApi(scenario)
  onTestFinished(api.close)
  const at = await stage(scenario)
  Object.assign(at.env, {
    CLAUDE_BIN: binaries.claude,
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BASE_URL: api.url,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    SHELL: '/bin/bash',
  })
  /** Which role it is told that it has, and whether it is offered to write and to run. */
  const told = () => {
    const { body } = api.asked.findLast((one) => one.body.tools?.length) ?? expect.fail('nobody asked')
    const prompt = JSON.stringify(body.system)
    const offered = (name: string) => body.tools?.some((tool) => tool.name === name) ?? false
    return {
      role: Object.entries(says).flatMap(([role, words]) => (words.test(prompt) ? [role] : [])),
      tools: ['Read', 'Write', 'Bash'].filter(offered),
      knows: seen(body).includes('The word is plum.'),
    }
  }
  return { at, told }
}

const planner = { role: ['planner'], tools: ['Read'], knows: true }
const actor = { role: ['actor'], tools: ['Read', 'Write', 'Bash'], knows: true }

test('claude: the built-in planner becomes an actor: another prompt, other tools, the same words before; also when it is resumed', async () => {
  const { at, told } = await real()
  const after = async (text: string, turns: number) => {
    await at.say('a', text)
    await at.until('a', { state: 'idle', turns })
    return told()
  }
  const launched = await at.agency(['run', '--role', 'planner', '--name', 'a', '--detach'])
  expect(launched.code, launched.err).toBe(0)
  expect(await after('first', 1)).toEqual({ ...planner, knows: false })
  const switched = await at.agency(['role', 'switch', 'a', 'actor', '--json'])
  expect(JSON.parse(switched.out)).toMatchObject({ agent: 'a', from: 'planner', to: 'actor', when: 'now' })
  expect(await after('second', 2)).toEqual(actor)
  expect((await at.agency(['stop', 'a'])).code).toBe(0)
  expect((await at.agency(['session', 'resume', 'a', '--detach'])).code).toBe(0)
  expect(await after('third', 3)).toEqual(actor)
  expect((await at.agency(['role', 'switch', 'a', 'planner'])).code).toBe(0)
  expect(await after('fourth', 4)).toEqual(planner)
})

test('claude: an agent that takes tasks is told of its new role in a conversation of before too', async () => {
  const { at, told } = await real()
  mkdirSync(join(at.root, 'agents/ag-01'), { recursive: true })
  writeFileSync(
    join(at.root, 'agents/ag-01/config.yaml'),
    `role: planner\nsandbox: { enabled: false }\nroot_dir: ${at.cwd}\n`,
  )
  expect((await at.agency(['start'])).code).toBe(0)
  const after = async (prompt: string, session?: string) => {
    const { body } = await ask(at, 'POST', '/agents/ag-01/task', { prompt, session_id: session ?? null })
    await expect
      .poll(async () => (await ask(at, 'GET', `/agents/ag-01/task/${body.task_id}`)).body.state, patience)
      .toBe('completed')
    return { session: body.session_id as string, told: told() }
  }
  const { session, told: first } = await after('first')
  expect(first).toEqual({ ...planner, knows: false })
  expect((await after('second', session)).told).toEqual(planner)
  expect((await at.agency(['role', 'switch', 'ag-01', 'actor'])).code).toBe(0)
  expect((await after('third', session)).told).toEqual(actor)
  expect((await after('fourth', session)).told).toEqual(actor)
})

test(
  'claude: the host is killed at any moment of a switch: one role in every place, one process, one conversation',
  () => killedSwitches(make, { seed: 3, rounds: 6 }),
  300_000,
)
