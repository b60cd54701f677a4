// Settings that change while a session runs: which are taken up, and how that is told.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { hookCommand, recorded } from '../twin/command.ts'
import { bash, turn, write } from '../twin/say.ts'
import { each, hooked, http, pre } from '../twin/settings.ts'
import { twin } from '../twin/twin.ts'
import { until } from '../twin/until.ts'

const bypass = { args: ['--dangerously-skip-permissions'], env: { IS_SANDBOX: '1' } }

twin('a change of the project’s settings is told by ConfigChange', async (make) => {
  const rig = await make(({ dir, work }) => [
    {
      match: 'go',
      replies: [
        { calls: [write(join(work, '.claude/settings.json'), '{"env":{"A":"1"}}')] },
        { calls: [bash(`until [ -e '${dir}/told' ]; do sleep 0.1; done`)] },
        { text: 'Done.' },
      ],
    },
  ])
  // The CLI watches a folder that is there when it starts.
  await rig.write('work/.claude/settings.json', {})
  const entry = await hookCommand(rig, 'change', `touch '${rig.dir}/told'`)
  const { code } = await rig.print('go', bypass.args, {
    env: bypass.env,
    settings: hooked({ ConfigChange: entry }),
  })
  expect(code).toBe(0)
  expect((await recorded(rig, 'change'))[0]).toMatchObject({
    hook_event_name: 'ConfigChange',
    source: 'project_settings',
    file_path: join(rig.work, '.claude/settings.json'),
  })
})

twin('an edited --settings file is not read again', async (make) => {
  const rig = await make(({ dir }) => [
    turn('go', [bash(`until [ -e '${dir}/edited' ]; do sleep 0.1; done`), bash('sleep 1; touch ran')]),
  ])
  const listener = await rig.listen()
  const running = await rig.start('go', ['--allowedTools=Bash'], {
    settings: hooked(each(['PreToolUse', 'Stop'], http(listener.url))),
  })
  await listener.until('PreToolUse')
  await rig.write('settings-1.json', { disableAllHooks: true })
  await rig.write('edited', '')
  const { code } = await running.ended
  expect([code, listener.events()]).toEqual([0, ['PreToolUse', 'PreToolUse', 'Stop']])
})

twin('hooks of the project run beside ours; the strictest decides', async (make) => {
  const rig = await make([turn('go', [bash('touch ran')])])
  const theirs = await hookCommand(rig, 'theirs', `echo '${JSON.stringify(pre('allow'))}'`)
  await rig.write('work/.claude/settings.json', hooked({ PreToolUse: theirs }))
  const listener = await rig.listen(() => pre('deny'))
  await rig.print('go', [], { settings: hooked({ PreToolUse: http(listener.url) }) })
  await until(
    'both to be heard',
    async () => (await recorded(rig, 'theirs')).length === 1 && listener.hooks.length === 1,
  )
  expect(existsSync(join(rig.work, 'ran'))).toBe(false)
})
