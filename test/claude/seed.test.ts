// First-run dialogs and what keeps them away; where a login comes from.
import { expect } from 'vitest'
import { hookCommand, recorded } from '../twin/command.ts'
import { firstRun, key } from '../twin/place.ts'
import { says } from '../twin/say.ts'
import { hooked } from '../twin/settings.ts'
import { real, twin } from '../twin/twin.ts'

twin('a seeded directory goes straight to the prompt', async (make) => {
  const rig = await make([says('hello', 'Good day.')])
  const settings = hooked({ SessionStart: await hookCommand(rig, 'begin', 'exit 0') })
  const terminal = await rig.terminal(['--permission-mode', 'manual'], { settings })
  expect(terminal.screen()).not.toMatch(/trust|API key\?/i)
  await terminal.send('hello')
  await terminal.sees('Good day.')
  expect(await recorded(rig, 'begin')).toMatchObject([{ source: 'startup', cwd: rig.work }])
})

twin('`claude "prompt"` submits at the start; /exit prints how to come back', async (make) => {
  const rig = await make([says('hello', 'Good day.')])
  const settings = hooked({ SessionStart: await hookCommand(rig, 'begin', 'exit 0') })
  const terminal = await rig.terminal(['--permission-mode', 'manual', 'hello'], { settings })
  await terminal.sees('Good day.')
  const [begun] = await recorded(rig, 'begin')
  await terminal.send('/exit')
  expect(await terminal.exited()).toBe(0)
  await terminal.sees(`--resume ${begun?.session_id}`)
})

twin('a directory that nobody trusted is asked about first, and the default is to leave', async (make) => {
  const rig = await make([])
  await rig.write('config/.claude.json', firstRun(rig.work, false))
  const settings = hooked({ SessionStart: await hookCommand(rig, 'begin', 'exit 0') })
  const terminal = await rig.terminal(['--permission-mode', 'manual'], { settings, wait: false })
  await terminal.sees(/trust/i)
  await terminal.sees(/❯ No, exit/)
  expect(await recorded(rig, 'begin')).toEqual([])
})

twin('a key that nobody approved is asked about; the last 20 characters are the approval', async (make) => {
  const rig = await make([])
  const seed = firstRun(rig.work)
  await rig.write('config/.claude.json', {
    ...seed,
    customApiKeyResponses: { approved: [key.slice(-19)], rejected: [] },
  })
  const terminal = await rig.terminal(['--permission-mode', 'manual'], { wait: false })
  await terminal.sees(/API key/i)
})

real(
  'CLAUDE_SECURESTORAGE_CONFIG_DIR shares a login with a private directory',
  'the stand-in has no login',
  async (make) => {
    const rig = await make([says('go', 'Logged in.'), says('alone', 'Logged in.')])
    const soon = Date.now() + 24 * 3600_000
    await rig.write('login/.credentials.json', {
      claudeAiOauth: {
        accessToken: 'sk-ant-oat01-decoy-token',
        refreshToken: 'sk-ant-ort01-decoy-refresh',
        expiresAt: soon,
        scopes: ['user:inference', 'user:profile'],
        subscriptionType: 'max',
      },
    })
    const none = { ANTHROPIC_API_KEY: undefined }
    const without = await rig.print('alone', [], { env: none })
    expect([without.code, without.result?.is_error]).toEqual([1, true])
    expect(without.result?.result).toContain('Not logged in')
    const shared = await rig.print('go', [], {
      env: { ...none, CLAUDE_SECURESTORAGE_CONFIG_DIR: `${rig.dir}/login` },
    })
    expect([shared.code, shared.result?.result]).toEqual([0, 'Logged in.'])
    expect(rig.api?.asked.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer sk-ant-oat01-decoy-token',
    ])
  },
)
