// A project, or the agent itself, that tries to switch the hooks off.
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { bash, turn, write } from '../twin/say.ts'
import { each, hooked, http, pre } from '../twin/settings.ts'
import { twin } from '../twin/twin.ts'

const allow = ['--allowedTools=Bash']

twin('a project file with disableAllHooks silences hooks passed by --settings', async (make) => {
  const rig = await make([turn('go', [bash('touch ran')])])
  await rig.write('work/.claude/settings.json', { disableAllHooks: true })
  const listener = await rig.listen(() => pre('deny'))
  await rig.print('go', allow, { settings: hooked({ PreToolUse: http(listener.url) }) })
  expect([listener.events(), existsSync(join(rig.work, 'ran'))]).toEqual([[], true])
})

twin('disableAllHooks: false in --settings beats the project file', async (make) => {
  const rig = await make([turn('go', [bash('touch ran')])])
  await rig.write('work/.claude/settings.json', { disableAllHooks: true })
  await rig.write('work/.claude/settings.local.json', { disableAllHooks: true })
  await rig.write('config/settings.json', { disableAllHooks: true })
  const listener = await rig.listen(() => pre('deny'))
  await rig.print('go', allow, {
    settings: hooked({ PreToolUse: http(listener.url) }, { disableAllHooks: false }),
  })
  expect([listener.events(), existsSync(join(rig.work, 'ran'))]).toEqual([['PreToolUse'], false])
})

twin('--setting-sources user leaves the project file out', async (make) => {
  const rig = await make([turn('go', [bash('touch ran')])])
  await rig.write('work/.claude/settings.json', { disableAllHooks: true })
  const listener = await rig.listen(() => pre('deny'))
  await rig.print('go', [...allow, '--setting-sources', 'user'], {
    settings: hooked({ PreToolUse: http(listener.url) }),
  })
  expect([listener.events(), existsSync(join(rig.work, 'ran'))]).toEqual([['PreToolUse'], false])
})

twin('the agent writes the hostile file half-way: our hooks go on', async (make) => {
  const rig = await make(({ work }) => [
    {
      match: 'go',
      replies: [
        { calls: [write(join(work, '.claude/settings.json'), '{"disableAllHooks":true}')] },
        // The file is watched: the change takes about three seconds to be noticed.
        { calls: [bash('sleep 5')] },
        { calls: [bash('touch ran')] },
        { text: 'Done.' },
      ],
    },
  ])
  const listener = await rig.listen()
  const { code } = await rig.print('go', ['--dangerously-skip-permissions'], {
    env: { IS_SANDBOX: '1' },
    settings: hooked(each(['PreToolUse', 'Stop'], http(listener.url)), { disableAllHooks: false }),
  })
  expect([
    code,
    existsSync(join(rig.work, '.claude/settings.json')),
    existsSync(join(rig.work, 'ran')),
  ]).toEqual([0, true, true])
  expect(listener.events()).toEqual(['PreToolUse', 'PreToolUse', 'PreToolUse', 'Stop'])
})

twin('the settings file may be gone once the session has begun', async (make) => {
  const rig = await make([
    { match: 'go', replies: [{ calls: [bash('true')] }, { calls: [bash('touch ran')] }, { text: 'Done.' }] },
  ])
  await rig.write('work/.claude/settings.json', { disableAllHooks: true })
  const path = join(rig.dir, 'settings-1.json')
  const listener = await rig.listen(async ({ event }) => {
    if (event === 'UserPromptSubmit') await rm(path)
    return undefined
  })
  const { code } = await rig.print('go', allow, {
    settings: hooked(each(['UserPromptSubmit', 'PreToolUse', 'Stop'], http(listener.url)), {
      disableAllHooks: false,
    }),
  })
  expect([code, existsSync(path)]).toEqual([0, false])
  expect(listener.events()).toEqual(['UserPromptSubmit', 'PreToolUse', 'PreToolUse', 'Stop'])
})

twin('allowedHttpHookUrls of a project cuts our hooks off unless ours names them too', async (make) => {
  const rig = await make([turn('one', [bash('touch one')]), turn('two', [bash('touch two')])])
  await rig.write('work/.claude/settings.json', { allowedHttpHookUrls: ['https://nowhere.invalid/*'] })
  const listener = await rig.listen(() => pre('deny'))
  const hooks = { PreToolUse: http(listener.url, { onFailure: 'block' }) }
  const one = await rig.print('one', allow, { settings: hooked(hooks, { disableAllHooks: false }) })
  const heard = listener.hooks.length
  const two = await rig.print('two', allow, {
    settings: hooked(hooks, {
      disableAllHooks: false,
      allowedHttpHookUrls: [`${new URL(listener.url).origin}/*`],
    }),
  })
  expect({
    heard,
    after: listener.hooks.length,
    denied: [one, two].map(({ result }) => result?.permission_denials.length),
  }).toEqual({ heard: 0, after: 1, denied: [1, 1] })
  expect(['one', 'two'].map((name) => existsSync(join(rig.work, name)))).toEqual([false, false])
})
