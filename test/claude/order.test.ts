// The order of hooks in a turn, and which call each one is about.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Listener } from '../twin/listen.ts'
import { bash, turn } from '../twin/say.ts'
import { each, hooked, http, permit, pre } from '../twin/settings.ts'
import { transcript } from '../twin/transcript.ts'
import { twin } from '../twin/twin.ts'

const events = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'Stop',
  'SessionEnd',
]
const story = ({ hooks }: Listener) =>
  hooks.map(({ event, body }) => [event, body.tool_input?.command].filter(Boolean).join(': '))

twin('calls of one message are asked about and run one after the other', async (make) => {
  const rig = await make([turn('go', [bash('touch a'), bash('touch b'), bash('ls nowhere')])])
  const listener = await rig.listen(({ event }) =>
    event === 'PermissionRequest' ? permit('allow') : undefined,
  )
  await rig.print('go', ['--permission-mode', 'manual'], {
    settings: hooked(each(events, http(listener.url))),
  })
  expect(story(listener)).toEqual([
    'UserPromptSubmit',
    'PreToolUse: touch a',
    'PermissionRequest: touch a',
    'PostToolUse: touch a',
    'PreToolUse: touch b',
    'PermissionRequest: touch b',
    'PostToolUse: touch b',
    'PreToolUse: ls nowhere',
    'PostToolUseFailure: ls nowhere',
    'PostToolBatch',
    'Stop',
    'SessionEnd',
  ])
  const [failed] = listener.of('PostToolUseFailure')
  expect(failed).toMatchObject({
    error: expect.stringContaining('Exit code 2'),
    is_interrupt: false,
    tool_use_id: listener.of('PreToolUse')[2]?.tool_use_id,
  })
  expect(new Set(listener.hooks.slice(0, -1).map(({ body }) => body.prompt_id)).size).toBe(1)
})

twin('a denied call has no PostToolUse', async (make) => {
  const rig = await make([turn('go', [bash('touch a')])])
  const listener = await rig.listen(({ event }) => (event === 'PreToolUse' ? pre('deny') : undefined))
  await rig.print('go', [], { settings: hooked(each(events, http(listener.url))) })
  const tools = story(listener).filter((line) => line.includes('Tool') && !line.startsWith('PostToolBatch'))
  expect(tools).toEqual(['PreToolUse: touch a'])
})

twin('continue: false of PreToolUse ends the run, but the call is made: only deny denies', async (make) => {
  const rig = await make([turn('go', [bash('touch ran')], 'never said')])
  const listener = await rig.listen(({ event }) =>
    event === 'PreToolUse' ? { continue: false, stopReason: 'enough' } : undefined,
  )
  const { code, result } = await rig.print('go', ['--allowedTools=Bash'], {
    settings: hooked(each(['PreToolUse'], http(listener.url))),
  })
  expect([code, result?.terminal_reason, existsSync(join(rig.work, 'ran'))]).toEqual([
    0,
    'hook_stopped',
    true,
  ])
})

twin('PostToolUse comes too late to prevent, but its reason reaches the model', async (make) => {
  const rig = await make([turn('go', [bash('touch ran')])])
  const listener = await rig.listen(() => ({ decision: 'block', reason: 'look again at that' }))
  const { result } = await rig.print('go', ['--allowedTools=Bash'], {
    settings: hooked({ PostToolUse: http(listener.url) }),
  })
  expect(existsSync(join(rig.work, 'ran'))).toBe(true)
  expect(JSON.stringify(await transcript(rig, result?.session_id ?? ''))).toContain('look again at that')
})
