// What reaches the model, and what reaches the commands it runs.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { hookCommand } from '../twin/command.ts'
import { key } from '../twin/place.ts'
import { bash, says, turn } from '../twin/say.ts'
import { hooked } from '../twin/settings.ts'
import { real, twin } from '../twin/twin.ts'
import { seen } from './api/ask.ts'

const context = (hookEventName: string, additionalContext: string) =>
  `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName, additionalContext } })}'`

real('hooks add to what the model is told', 'needs what a model is told', async (make) => {
  const rig = await make([says('go', 'Hello.')])
  await rig.print('go', [], {
    settings: hooked({
      SessionStart: await hookCommand(rig, 'begin', context('SessionStart', 'the sky is GREEN')),
      UserPromptSubmit: await hookCommand(rig, 'prompt', context('UserPromptSubmit', 'the sea is RED')),
    }),
  })
  const [ask] = rig.api?.asked ?? []
  const told = ask ? seen(ask.body) : ''
  expect([told.includes('the sky is GREEN'), told.includes('the sea is RED')]).toEqual([true, true])
})

real(
  'the project’s CLAUDE.md counts, and not with --setting-sources user',
  'needs what a model is told',
  async (make) => {
    const rig = await make([says('go', 'Hello.')])
    await rig.write('work/CLAUDE.md', 'The house word is MARZIPAN.')
    await rig.print('go')
    await rig.print('go', ['--setting-sources', 'user'])
    expect(rig.api?.asked.map(({ body }) => seen(body).includes('MARZIPAN'))).toEqual([true, false])
  },
)

real('a denial’s reason reaches the model', 'needs what a model is told', async (make) => {
  const rig = await make([turn('go', [bash('touch ran')])])
  const entry = await hookCommand(rig, 'deny', 'echo "retrying will not help" >&2; exit 2')
  await rig.print('go', [], { settings: hooked({ PreToolUse: entry }) })
  const last = rig.api?.asked.at(-1)
  expect(last && seen(last.body)).toMatch(/PreToolUse:Bash hook error:.*retrying will not help/)
})

twin('a command of the agent sees the key and what else is in the environment', async (make) => {
  const rig = await make([turn('go', [bash('env > out')])])
  await rig.print('go', ['--allowedTools=Bash'], { env: { MY_SECRET: 'plum' } })
  const env = await readFile(join(rig.work, 'out'), 'utf8')
  for (const line of [`ANTHROPIC_API_KEY=${key}`, 'MY_SECRET=plum', 'CLAUDECODE=1'])
    expect(env).toContain(line)
})

real(
  'scrubbing the environment needs bubblewrap, or nothing starts',
  'the stand-in scrubs nothing',
  async (make) => {
    const rig = await make([turn('go', [bash('env > out')])])
    const { code, stdout, stderr } = await rig.print('go', ['--allowedTools=Bash'], {
      env: { CLAUDE_CODE_SUBPROCESS_ENV_SCRUB: '1', PATH: '/nowhere' },
    })
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('bubblewrap is required')
  },
)
