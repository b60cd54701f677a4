// A transcript that was damaged: what is whole of it goes on, and nothing is begun anew in its place.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { stage } from '../agent/kit.ts'
import { key } from '../twin/place.ts'
import { binaries } from '../twin/rig.ts'
import { serveApi } from './api/serve.ts'

test('claude: garbage is refused with its own words, a torn end is passed over', async () => {
  const scenario = { scripts: [{ replies: [{ text: 'Heard.', times: 0 }] }] }
  const api = await serveApi(scenario)
  onTestFinished(api.close)
  const at = await stage(scenario, { c: 'name: c\ninstructions: Work.\n' })
  Object.assign(at.env, {
    CLAUDE_BIN: binaries.claude,
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BASE_URL: api.url,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    SHELL: '/bin/bash',
  })
  const resume = () => at.agency(['session', 'resume', 'a', '--detach'])
  expect((await at.agency(['run', '--role', 'c', '--name', 'a', '--detach'])).code).toBe(0)
  await at.say('a', 'hello')
  const { session } = await at.until('a', { state: 'idle', turns: 1 })
  expect((await at.agency(['stop', 'a'])).code).toBe(0)
  const { path } = JSON.parse(readFileSync(join(at.directory('a'), 'heard.json'), 'utf8'))
  const whole = readFileSync(path, 'utf8')
  writeFileSync(path, '\0\0\0garbage\n{"half')
  const damaged = await resume()
  expect([damaged.code, damaged.err]).toEqual([1, expect.stringContaining('No conversation found')])
  await at.until('a', { state: 'exited', session, turns: 1 })
  writeFileSync(path, whole.slice(0, -40))
  const torn = await resume()
  expect(torn.code, torn.err).toBe(0)
  await at.until('a', { state: 'idle', session, turns: 1 })
})
