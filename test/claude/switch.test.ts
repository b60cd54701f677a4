import { expect, onTestFinished, test } from 'vitest'
import { castOf } from '../agent/cast.ts'
import { stage } from '../agent/kit.ts'
import { switchCases } from '../agent/switch.ts'
import { brokenCases, killedSwitches } from '../agent/switch-broken.ts'
import { planCases } from '../agent/switch-plans.ts'
import { taskedCases } from '../agent/switch-tasked.ts'
import { walledSwitchCases } from '../agent/switch-walled.ts'
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

test('claude: the built-in planner becomes an actor: another prompt, other tools, the same words before; also when it is resumed', async () => {
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
  /** Which role the model is told that it has, and whether it is offered to write and to run. */
  const told = async (text: string, turns: number) => {
    await at.say('a', text)
    await at.until('a', { state: 'idle', turns })
    const { body } = api.asked.findLast((one) => one.body.tools?.length) ?? expect.fail('nobody asked')
    const prompt = JSON.stringify(body.system)
    const offered = (name: string) => body.tools?.some((tool) => tool.name === name) ?? false
    return {
      role: Object.entries(says).flatMap(([role, words]) => (words.test(prompt) ? [role] : [])),
      tools: ['Read', 'Write', 'Bash'].filter(offered),
      knows: seen(body).includes('The word is plum.'),
    }
  }
  const launched = await at.agency(['run', '--role', 'planner', '--name', 'a', '--detach'])
  expect(launched.code, launched.err).toBe(0)
  expect(await told('first', 1)).toEqual({ role: ['planner'], tools: ['Read'], knows: false })
  const actor = { role: ['actor'], tools: ['Read', 'Write', 'Bash'], knows: true }
  const switched = await at.agency(['role', 'switch', 'a', 'actor', '--json'])
  expect(JSON.parse(switched.out)).toMatchObject({ agent: 'a', from: 'planner', to: 'actor', when: 'now' })
  expect(await told('second', 2)).toEqual(actor)
  expect((await at.agency(['stop', 'a'])).code).toBe(0)
  expect((await at.agency(['session', 'resume', 'a', '--detach'])).code).toBe(0)
  expect(await told('third', 3)).toEqual(actor)
  expect((await at.agency(['role', 'switch', 'a', 'planner'])).code).toBe(0)
  expect(await told('fourth', 4)).toEqual({ role: ['planner'], tools: ['Read'], knows: true })
})

test(
  'claude: the host is killed at any moment of a switch: one role in every place, one process, one conversation',
  () => killedSwitches(make, { seed: 3, rounds: 6 }),
  300_000,
)
