// Telemetry: who decided about a call, and what a request cost.
import { expect } from 'vitest'
import { bash, turn } from '../twin/say.ts'
import { hooked, http, permit } from '../twin/settings.ts'
import { keys, question } from '../twin/terminal.ts'
import { twin } from '../twin/twin.ts'

const call = turn('go', [bash('touch ran')])

twin('a run tells of its prompt, requests, decisions and results', async (make) => {
  const rig = await make([call])
  const collector = await rig.collect()
  const { result } = await rig.print('go', ['--allowedTools=Bash'], {
    env: { ...collector.env, OTEL_RESOURCE_ATTRIBUTES: 'agent=coder-1' },
  })
  const request = await collector.until('claude_code.api_request')
  expect(request.attributes).toMatchObject({ 'session.id': result?.session_id, agent: 'coder-1' })
  expect(Number(request.attributes.cost_usd)).toBeGreaterThan(0)
  expect([Number(request.attributes.input_tokens), Number(request.attributes.output_tokens)]).toEqual([
    100, 20,
  ])
  const prompt = await collector.until('claude_code.user_prompt')
  expect(prompt.attributes.prompt).toBe('<REDACTED>')
  const decision = await collector.until('claude_code.tool_decision')
  expect(decision.attributes).toMatchObject({
    tool_name: 'Bash',
    decision: 'accept',
    source: 'config',
    tool_use_id: expect.stringMatching(/^toolu_/),
  })
  const done = await collector.until('claude_code.tool_result')
  expect([String(done.attributes.success), done.attributes.tool_use_id]).toEqual([
    'true',
    decision.attributes.tool_use_id,
  ])
  await collector.until('claude_code.cost.usage', (signal) => Number(signal.value) > 0)
  await collector.until('claude_code.token.usage', (signal) => signal.attributes.type === 'input')
})

twin('a hook’s answer is told as the hook’s', async (make) => {
  const rig = await make([call])
  const collector = await rig.collect()
  const listener = await rig.listen(() => permit('deny', { message: 'no' }))
  await rig.print('go', ['--permission-mode', 'manual'], {
    env: collector.env,
    settings: hooked({ PermissionRequest: http(listener.url) }),
  })
  const { attributes } = await collector.until('claude_code.tool_decision')
  expect(attributes).toMatchObject({ decision: 'reject', source: 'hook' })
})

for (const [name, key, decision, source] of [
  ['Yes', '1', 'accept', 'user_temporary'],
  ['Esc', keys.escape, 'reject', 'user_reject'],
  ['No', 'No', 'reject', 'user_reject'],
] as const) {
  twin(`${name} in the dialog is told as the person’s`, async (make) => {
    const rig = await make([call])
    const collector = await rig.collect()
    const listener = await rig.listen()
    const terminal = await rig.terminal(['--permission-mode', 'manual'], {
      env: collector.env,
      settings: hooked({ PreToolUse: http(listener.url) }),
    })
    await terminal.send('go')
    const screen = await terminal.sees(question)
    await terminal.answer(key === 'No' ? (screen.match(/(\d)\. No/)?.[1] ?? '?') : key)
    const { attributes } = await collector.until('claude_code.tool_decision')
    expect(attributes).toMatchObject({
      decision,
      source,
      tool_use_id: listener.of('PreToolUse')[0]?.tool_use_id,
    })
  })
}
