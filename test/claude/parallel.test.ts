// Two subagents at once: their questions are open together, and each has its own answer.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Script } from '../../src/driver/scripted/scenario/schema.ts'
import type { Answer } from '../twin/listen.ts'
import { agent, bash } from '../twin/say.ts'
import { each, hooked, http, permit } from '../twin/settings.ts'
import { question } from '../twin/terminal.ts'
import { twin } from '../twin/twin.ts'
import { until } from '../twin/until.ts'

const looker = (name: string): Script => ({
  match: `look ${name}`,
  subagent: true,
  replies: [{ calls: [bash(`touch ${name}`)] }, { text: `I looked ${name}.` }],
})
const scripts: Script[] = [
  looker('left'),
  looker('right'),
  {
    match: 'go',
    subagent: false,
    replies: [
      {
        calls: [
          agent('look left', { run_in_background: false }),
          agent('look right', { run_in_background: false }),
        ],
      },
      { text: 'Both are back.' },
    ],
  },
]

twin('both questions are open at once and carry the agent they come from', async (make) => {
  const rig = await make(scripts)
  const waiting = new Map<string, (answer: Answer) => void>()
  const listener = await rig.listen(({ event, body }) =>
    event === 'PermissionRequest'
      ? new Promise<Answer>((done) => waiting.set(String(body.tool_input?.command), done))
      : undefined,
  )
  const running = await rig.start('go', ['--permission-mode', 'manual', '--allowedTools=Agent'], {
    settings: hooked(
      each(['PreToolUse', 'PermissionRequest', 'SubagentStop'], http(listener.url, { timeout: 600 })),
    ),
  })
  await until('both questions', () => waiting.size === 2)
  waiting.get('touch right')?.(permit('allow'))
  waiting.get('touch left')?.(permit('deny', { message: 'not that side' }))
  const { code, result } = await running.ended
  expect([code, result?.result]).toEqual([0, 'Both are back.'])
  expect(['left', 'right'].map((name) => existsSync(join(rig.work, name)))).toEqual([false, true])

  const agents = new Map(
    listener.of('PreToolUse').map((body) => [body.tool_input?.command, [body.agent_id, body.session_id]]),
  )
  for (const body of listener.of('PermissionRequest')) {
    expect([body.agent_id, body.session_id]).toEqual(agents.get(body.tool_input?.command))
    expect(body).not.toHaveProperty('tool_use_id')
  }
  expect(new Set(listener.of('SubagentStop').map((body) => body.agent_id)).size).toBe(2)
})

twin('in the terminal their dialogs come one after the other', async (make) => {
  const rig = await make(scripts)
  const listener = await rig.listen()
  const terminal = await rig.terminal(['--permission-mode', 'manual', '--allowedTools=Agent'], {
    settings: hooked(each(['PermissionRequest', 'PostToolUse', 'Stop'], http(listener.url))),
  })
  await terminal.send('go')
  await listener.until('PermissionRequest', 2)
  expect((await terminal.sees(question)).match(/Do you want to/g)).toHaveLength(1)
  await until(
    'both calls to run',
    async () => {
      // A dialog that was just drawn ignores keys for a moment.
      await sleep(400)
      if (question.test(terminal.screen())) terminal.write('1')
      return ['left', 'right'].every((name) => existsSync(join(rig.work, name)))
    },
    terminal.screen,
  )
  await listener.until('Stop')
})
