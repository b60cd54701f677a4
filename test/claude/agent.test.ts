// The real CLI as an agent: launched by a host, answered by it, lost and resumed.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Scenario } from '../../src/driver/scripted/scenario/schema.ts'
import { castOf } from '../agent/cast.ts'
import { patience, processesOf, type Stage } from '../agent/kit.ts'

const allowed = 'permissions:\n  allow: ["Bash(touch *)", "Bash(while *)"]\n'

const claude = async (scenario: Scenario): Promise<Stage> => {
  const at = await castOf('claude')(scenario, allowed)
  const { code, err } = await at.run('a')
  expect(code, err).toBe(0)
  return at
}
const bash = (command: string) => ({ calls: [{ name: 'Bash', input: { command } }] })

test('claude: idle, working, blocked on a dialog, idle; tokens are counted', async () => {
  const at = await claude({
    scripts: [
      { match: 'first', replies: [bash('while [ ! -e go ]; do sleep 0.1; done'), { text: 'Done.' }] },
      { match: 'second', replies: [bash('curl --version > asked'), { text: 'Done.' }] },
    ],
  })
  await at.until('a', { state: 'idle', turns: 0 })
  await at.say('a', 'first')
  await at.until('a', { state: 'working', text: 'working (Bash)' })
  writeFileSync(join(at.cwd, 'go'), '')
  await at.until('a', { state: 'idle', turns: 1 })
  await expect.poll(async () => (await at.agent('a'))?.tokens, patience).toBeGreaterThan(0)
  await at.say('a', 'second')
  await at.until('a', { state: 'blocked', blocked_tool: 'Bash' })
  await at.press('a', '\u001b', /Do you want/)
  await at.until('a', { state: 'idle' })
  expect(existsSync(join(at.cwd, 'asked'))).toBe(false)
})

test('claude: kill -9 of the host in a call, then of the keeper; the same session goes on', async () => {
  const at = await claude({
    scripts: [
      {
        match: 'first',
        replies: [bash('while [ ! -e go ]; do sleep 0.1; done'), bash('touch ran'), { text: 'Done.' }],
      },
      { replies: [{ text: 'Heard.', times: 0 }] },
    ],
  })
  await at.say('a', 'first')
  const before = await at.until('a', { state: 'working', text: 'working (Bash)' })
  await at.killHost()
  writeFileSync(join(at.cwd, 'go'), '')
  await at.agency(['start'])
  await at.until('a', { state: 'idle', turns: 1, pid: before.pid as number })
  expect(existsSync(join(at.cwd, 'ran'))).toBe(true)
  const keeper = await at.keeper('a')
  process.kill(keeper.found.pid, 'SIGKILL')
  await expect.poll(() => processesOf(keeper), patience).toEqual([])
  await at.until('a', { state: 'lost' })
  expect((await at.agency(['session', 'resume', 'a', '--detach'])).code).toBe(0)
  await at.until('a', { state: 'idle', session: before.session })
  await at.say('a', 'again')
  await at.until('a', { state: 'idle', turns: 2, session: before.session })
  expect((await at.agency(['stop', 'a'])).code).toBe(0)
})

test('claude: a conversation begun anew is the one that is followed and resumed', async () => {
  const at = await claude({ scripts: [{ replies: [{ text: 'Heard.', times: 0 }] }] })
  await at.say('a', 'hello')
  const { session } = await at.until('a', { state: 'idle', turns: 1 })
  await at.say('a', '/clear')
  await expect.poll(async () => (await at.agent('a'))?.session, patience).not.toBe(session)
  await at.say('a', 'once more')
  const anew = await at.until('a', { state: 'idle', turns: 2 })
  await at.killHost()
  await at.agency(['start'])
  await at.say('a', 'and again')
  await at.until('a', { state: 'idle', turns: 3, session: anew.session })
  expect((await at.agency(['stop', 'a'])).code).toBe(0)
  const { code, err } = await at.agency(['session', 'resume', 'a', '--detach'])
  expect(code, err).toBe(0)
  await at.until('a', { state: 'idle', session: anew.session })
})
