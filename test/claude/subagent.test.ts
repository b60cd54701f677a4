// Subagents: a Stop with work in the background is no finish.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Script } from '../../src/driver/scripted/scenario/schema.ts'
import { agent, bash } from '../twin/say.ts'
import { each, hooked, http } from '../twin/settings.ts'
import { twin } from '../twin/twin.ts'

const events = ['PreToolUse', 'PostToolUse', 'SubagentStart', 'SubagentStop', 'UserPromptSubmit', 'Stop']
const scripts = (background: boolean): Script[] => [
  {
    match: 'look around',
    subagent: true,
    replies: [{ calls: [bash('touch inside')] }, { text: 'I looked.' }],
  },
  { match: '<task-notification>', subagent: false, replies: [{ text: 'Now all is done.' }] },
  {
    match: 'go',
    subagent: false,
    replies: [{ calls: [agent('look around', { run_in_background: background })] }, { text: 'It was sent.' }],
  },
]

twin('in the foreground the subagent ends before the turn does', async (make) => {
  const rig = await make(scripts(false))
  const listener = await rig.listen()
  const { result } = await rig.print('go', ['--allowedTools=Bash,Agent'], {
    settings: hooked(each(events, http(listener.url))),
  })
  expect(result?.result).toBe('It was sent.')
  expect(existsSync(join(rig.work, 'inside'))).toBe(true)
  expect(listener.hooks.map(({ event, body }) => [event, body.tool_name].filter(Boolean).join(' '))).toEqual([
    'UserPromptSubmit',
    'PreToolUse Agent',
    'SubagentStart',
    'PreToolUse Bash',
    'PostToolUse Bash',
    'SubagentStop',
    'PostToolUse Agent',
    'Stop',
  ])
  const inside = listener.of('PreToolUse')[1]
  expect(inside).toMatchObject({
    session_id: result?.session_id,
    agent_id: expect.any(String),
    agent_type: 'general-purpose',
  })
  expect(listener.of('SubagentStop')[0]).toMatchObject({
    agent_id: inside?.agent_id,
    agent_type: 'general-purpose',
    last_assistant_message: 'I looked.',
    stop_hook_active: false,
  })
  expect(listener.of('Stop')[0]?.background_tasks).toEqual([])
})

twin('in the background the turn stops first, and a notification begins another', async (make) => {
  const rig = await make([
    {
      match: 'look around',
      subagent: true,
      replies: [{ calls: [bash('until [ -e stopped ]; do sleep 0.1; done')] }, { text: 'I looked.' }],
    },
    ...scripts(true),
  ])
  const listener = await rig.listen(async ({ event }) => {
    if (event === 'Stop') await rig.write('work/stopped', '')
    return undefined
  })
  const { code, lines } = await rig.stream('go', ['--allowedTools=Bash,Agent'], {
    settings: hooked(each(events, http(listener.url))),
  })
  expect(code).toBe(0)
  const [first, second] = listener.of('Stop')
  expect(first?.background_tasks).toMatchObject([{ type: 'subagent', status: 'running' }])
  expect(second).toMatchObject({ last_assistant_message: 'Now all is done.', background_tasks: [] })
  const order = listener.events().filter((event) => /Stop|Submit/.test(event))
  expect(order).toEqual(['UserPromptSubmit', 'Stop', 'SubagentStop', 'UserPromptSubmit', 'Stop'])
  expect(listener.of('UserPromptSubmit')[1]?.prompt).toContain('<task-notification>')
  const results = lines.filter((line) => line.type === 'result').map((line) => line.result)
  expect(results).toEqual(['It was sent.', 'Now all is done.'])
})
