import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { post } from '../../src/keeper/post.ts'
import { castOf } from './cast.ts'
import { crash } from './crash.ts'
import { patience } from './kit.ts'
import { ask, given, untilState } from './tasks.ts'

test(
  'the host is killed at any moment: each task once, and what is told of it is true',
  () => crash(castOf('scripted'), { seed: 1, rounds: 6 }),
  300_000,
)

test('a prompt that is told again is not queued behind itself: cancelled, the agent is free', async () => {
  const slow = { match: 'plough', replies: [{ text: 'Late.', delay_ms: 60_000 }] }
  const at = await castOf('scripted')({ scripts: [slow, { replies: [{ text: 'Heard.', times: 0 }] }] })
  await at.run('coder')
  const id = await given(at, { prompt: 'plough' })
  await untilState(at, id, 'working')
  const { path } = JSON.parse(readFileSync(join(at.directory('coder'), 'heard.json'), 'utf8'))
  const lines = () => readFileSync(path, 'utf8').trim().split('\n')
  await expect.poll(() => lines().filter((line) => line.includes(id)).length, patience).toBe(1)
  const said = JSON.parse(lines().find((line) => line.includes(id)) ?? '')
  await at.killHost()
  expect((await at.agency(['start'])).code).toBe(0)
  // As the keeper does when the host died before it answered.
  const input = {
    hook_event_name: 'UserPromptSubmit',
    session_id: said.sessionId,
    transcript_path: path,
    cwd: at.cwd,
    prompt_id: said.promptId,
    prompt: said.message.content,
  }
  const { session } = (await at.agent('coder')) ?? expect.fail('it is not there')
  const event = { agent: 'coder', session, id: 'again', event: 'UserPromptSubmit', input }
  const host = join(at.root, 'sockets', 'host.sock')
  expect(await post(host, '/hook', JSON.stringify(event))).toMatchObject({ kind: 'heard', status: 204 })
  await ask(at, 'POST', `/agents/coder/task/${id}/cancel`)
  await untilState(at, id, 'cancelled')
  await untilState(at, await given(at, { prompt: 'next' }), 'completed')
})
