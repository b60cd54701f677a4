// From `starting` to `idle`, or to `error` with what to do about it.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { patience } from '../agent/kit.ts'
import { faced, heard, name, untilState } from './face.ts'
import { get, post } from './wire.ts'

const scenario = { scripts: [heard] }
const version = 'echo "2.1.325 (Claude Code)"'

test('its port answers while it starts; then it is idle, and says what is missing of a login', async () => {
  const claude = `touch "$HERE/asked"; while [ ! -e "$HERE/go" ]; do sleep 0.05; done; ${version}`
  const at = await faced(scenario, { claude })
  const own = await at.own()
  const starting = await get(own, '/status')
  expect([starting.status, starting.body]).toMatchObject([200, { state: 'starting', current_task: null }])
  const refused = await post(own, '/task', { prompt: 'hi' })
  expect([refused.status, refused.body.error, refused.heads['retry-after']]).toEqual([503, 'not_ready', '1'])
  await expect.poll(() => existsSync(join(at.folder, 'asked')), patience).toBe(true)
  writeFileSync(join(at.folder, 'go'), '')
  await untilState(own, 'idle')
  const message = () => get(own, '/status').then(({ body }) => body.message)
  expect(await message()).toBe('Claude may not be logged in: type `agency credential set claude-token`')
  const token = `sk-ant-oat01-${'x'.repeat(40)}`
  expect(await at.agency(['credential', 'set', 'claude-token'], { stdin: token })).toMatchObject({ code: 0 })
  await expect.poll(message, patience).toBe(undefined)
  expect((await get(own, '/status')).body.state).toBe('idle')
})

const broken: readonly (readonly [string, string, RegExp])[] = [
  [
    'cannot say its version',
    'echo "no licence" >&2; exit 3',
    /cannot be started: .*no licence.* CLAUDE_BIN/s,
  ],
  ['is something else', 'echo hello', /hello|version/],
  ['is too old', 'echo "1.0.0 (Claude Code)"', /1\.0\.0/],
]
test.each(broken)(
  'a CLI that %s: error, what to do, no task; the host and others run',
  async (_, claude, words) => {
    const at = await faced(scenario, { claude })
    await untilState(at.mounted(), 'error')
    const own = await at.own()
    expect((await get(own, '/status')).body).toMatchObject({
      state: 'error',
      message: expect.stringMatching(words),
    })
    const refused = await post(own, '/task', { prompt: 'hi' })
    expect([refused.status, refused.body.error]).toEqual([503, 'component_error'])
    expect(refused.body.message).toMatch(words)
    expect((await get({ ...at.mounted(), prefix: '' }, '/status')).body.state).toBe('idle')
    expect((await at.agency(['list'])).out).toMatch(new RegExp(`^${name} +agent +error +\\d+ `, 'm'))
  },
)

test('a CLI that is not there, and one that hangs', async () => {
  const at = await faced(scenario, { claude: 'sleep 1000' })
  // As long as it is asked for its version it is starting, and then it is an error.
  expect((await get(at.mounted(), '/status')).body.state).toBe('starting')
  await untilState(at.mounted(), 'error')
  const { message } = (await get(at.mounted(), '/status')).body
  expect(message).toMatch(/did not answer in 30 s\. .*CLAUDE_BIN/)
  const other = await faced(scenario, { role: 'name: s\ninstructions: Work.\n' })
  await untilState(other.mounted(), 'error')
  expect((await get(other.mounted(), '/status')).body.message).toMatch(
    /no-claude.* cannot be run.*CLAUDE_BIN/,
  )
})

const files: readonly (readonly [string, string, RegExp])[] = [
  ['is no YAML', 'role: [', /config.yaml:1/],
  ['has an unknown field', 'prot: 9000\n', /config.yaml:1:1 unknown field prot .*port/],
  ['names a role that is not there', 'role: nobody\n', /there is no "nobody"/],
  ['has a bad time', 'role: s\nclaude:\n  timeout: 30\n', /config.yaml:3:12 claude.timeout/],
]
test.each(files)('a config that %s: error, and where it is', async (_, file, words) => {
  const at = await faced(scenario, { file })
  await untilState(at.mounted(), 'error')
  expect((await get(at.mounted(), '/status')).body.message).toMatch(words)
  expect(await post(at.mounted(), '/task', { prompt: 'x' })).toMatchObject({ status: 503 })
})
