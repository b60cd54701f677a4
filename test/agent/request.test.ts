import { expect, test } from 'vitest'
import { castOf } from './cast.ts'
import { requestCases } from './request.ts'

const make = castOf('scripted')
for (const [name, run] of Object.entries(requestCases)) test(name, () => run(make))

test('a collector says nothing, whatever it is told; of an agent without a role the journal is told', async () => {
  const at = await make({ scripts: [] })
  const tell = (stdin: string, ...args: string[]) => at.agency(['hook', 'collect', ...args], { stdin })
  const silence = { code: 0, out: '', err: '' }
  const event = {
    hook_event_name: 'PreToolUse',
    session_id: 's',
    tool_name: 'Bash',
    tool_input: { command: 'ls' },
  }
  const stdin = JSON.stringify(event)
  // No host, no agent, no JSON.
  expect(await tell(stdin, '--agent', 'x')).toMatchObject(silence)
  for (const text of ['', '{', 'null', '[]', '{"hook_event_name":5}'])
    expect(await tell(text, '--agent', 'x')).toMatchObject(silence)
  expect(await tell(stdin)).toMatchObject(silence)
  expect((await at.agency(['run', '--name', 'x', '--detach', '--', 'sleep', '600'])).code).toBe(0)
  expect(await tell(stdin, '--agent', 'x')).toMatchObject(silence)
  expect(await at.agency(['hook', 'collect'], { stdin, env: { H2_ACTOR: 'x' } })).toMatchObject(silence)
  expect(await tell(stdin, '--agent', 'nobody')).toMatchObject(silence)
  const told = { event: 'PreToolUse', tool: 'Bash', session: 's' }
  expect((await at.journal('session.collected')).map(({ data }) => data)).toEqual([told, told])
})
