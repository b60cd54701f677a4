// A fork of the real CLI: it is told what its parent said, and the parent never hears of it.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { patience, stage } from '../agent/kit.ts'
import { key } from '../twin/place.ts'
import { binaries } from '../twin/rig.ts'
import { seen } from './api/ask.ts'
import { serveApi } from './api/serve.ts'

const role = 'name: c\ninstructions: Work.\npermissions:\n  allow: ["Bash(echo *)", "Bash(while *)"]\n'
const bash = (command: string) => ({ calls: [{ name: 'Bash', input: { command } }] })
const waiting = 'while [ ! -e go ]; do sleep 0.1; done'

test('claude: forked in the middle of a call, both go on; the fork knows the past and counts only its own', async () => {
  const scenario = {
    scripts: [
      { match: 'first', replies: [bash('echo before'), { text: 'The word is plum.' }] },
      { match: 'second', replies: [bash(waiting), { text: 'The parent is done.' }] },
      { match: 'other', replies: [bash('echo after'), { text: 'The fork is done.' }] },
      { replies: [{ text: 'Heard.', times: 0 }] },
    ],
  }
  const api = await serveApi(scenario)
  onTestFinished(api.close)
  const at = await stage(scenario, { c: role })
  Object.assign(at.env, {
    CLAUDE_BIN: binaries.claude,
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BASE_URL: api.url,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    SHELL: '/bin/bash',
  })
  const { code, err } = await at.agency(['run', '--role', 'c', '--name', 'a', '--detach'])
  expect(code, err).toBe(0)
  await at.say('a', 'first')
  await at.until('a', { state: 'idle', turns: 1 })
  await at.say('a', 'second')
  const parent = await at.until('a', { state: 'working', text: 'working (Bash)' })
  const { path } = JSON.parse(readFileSync(join(at.directory('a'), 'heard.json'), 'utf8'))
  const said = readFileSync(path, 'utf8')

  const forked = await at.agency(['session', 'fork', 'a', '--detach'])
  expect(forked.code, forked.err).toBe(0)
  const child = await at.until('a-2', { state: 'idle', turns: 0, tokens: 0 })
  expect(child.session).not.toBe(parent.session)
  await at.say('a-2', 'other')
  await at.until('a-2', { state: 'idle', text: 'idle', turns: 1, session: child.session })
  const own = api.asked.filter(({ headers }) => headers['x-claude-code-session-id'] === child.session)
  const told = own.map(({ body }) => seen(body))
  expect(told.at(-1)).toContain('The word is plum.')
  expect(told.join()).not.toContain(waiting)
  // The parent may still have written down how its call began.
  const since = readFileSync(path, 'utf8')
  expect(since.startsWith(said)).toBe(true)
  expect(since).not.toContain(child.session)
  expect(since).not.toContain('The fork is done.')
  expect(await at.agent('a')).toMatchObject({ state: 'working', turns: 1, pid: parent.pid })

  writeFileSync(join(at.cwd, 'go'), '')
  await at.until('a', { state: 'idle', turns: 2, session: parent.session })
  await at.say('a', 'more')
  await at.until('a', { state: 'idle', turns: 3 })
  const final = api.asked.at(-1)
  expect(final && seen(final.body)).not.toContain('The fork is done.')
  await expect.poll(async () => (await at.agent('a-2'))?.tokens, patience).toBeGreaterThan(0)

  // As its own session it is resumed, with all of its past.
  expect((await at.agency(['stop', 'a-2'])).code).toBe(0)
  const resumed = await at.agency(['session', 'resume', 'a-2', '--detach'])
  expect(resumed.code, resumed.err).toBe(0)
  await at.say('a-2', 'once more')
  await at.until('a-2', { state: 'idle', turns: 2, session: child.session })
  const last = api.asked.at(-1)
  expect(last && seen(last.body)).toMatch(/The word is plum[\s\S]*The fork is done/)
})
