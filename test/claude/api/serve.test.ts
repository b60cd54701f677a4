import { expect, onTestFinished, test } from 'vitest'
import type { Script } from '../../../src/driver/scripted/scenario/schema.ts'
import { type Api, serveApi } from './serve.ts'

const serve = async (scripts: Script[]) => {
  const api = await serveApi({ scripts })
  onTestFinished(api.close)
  return api
}
const post = (api: Api, text: string, more: object = {}, headers: Record<string, string> = {}) =>
  fetch(`${api.url}/v1/messages?beta=true`, {
    method: 'POST',
    headers: { 'x-claude-code-session-id': 's1', ...headers },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: text }], ...more }),
  })

const call = { name: 'Bash', input: { command: 'ls' } }

test('a whole message', async () => {
  const api = await serve([
    { match: 'go', replies: [{ text: 'Look:', calls: [call], usage: { input: 5, output: 7 } }] },
  ])
  const body = await (await post(api, 'go on')).json()
  expect(body).toMatchObject({
    role: 'assistant',
    model: 'm',
    content: [
      { type: 'text', text: 'Look:' },
      { type: 'tool_use', id: expect.stringMatching(/^toolu_/), ...call },
    ],
    stop_reason: 'tool_use',
    usage: { input_tokens: 5, output_tokens: 7 },
  })
  expect(api.asked).toMatchObject([{ said: 'go on', subagent: false }])
})

test('a stream of events that add up to the message', async () => {
  const long = 'a long answer, '.repeat(20)
  const api = await serve([{ replies: [{ text: long, piece_delay_ms: 1 }] }])
  const text = await (await post(api, 'go', { stream: true })).text()
  const events = [...text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(([, name, data]) => ({
    name,
    data: JSON.parse(data ?? '') as { delta?: { text?: string; stop_reason?: string } },
  }))
  expect(events.map(({ name }) => name).filter((name, at, all) => name !== all[at - 1])).toEqual([
    'message_start',
    'content_block_start',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ])
  expect(events.map(({ data }) => data.delta?.text ?? '').join('')).toBe(long)
  expect(events.find(({ name }) => name === 'message_delta')?.data.delta?.stop_reason).toBe('end_turn')
})

test('an error with its kind and when to come back', async () => {
  const api = await serve([{ replies: [{ error: { status: 529, retry_after: 3 } }] }])
  const response = await post(api, 'go', { stream: true })
  expect([response.status, response.headers.get('retry-after')]).toEqual([529, '3'])
  expect(await response.json()).toEqual({
    type: 'error',
    error: { type: 'overloaded_error', message: 'overloaded_error' },
  })
})

test('a cut stream ends in the middle', async () => {
  const api = await serve([{ replies: [{ text: 'half', error: { cut: true } }] }])
  const response = await post(api, 'go', { stream: true })
  await expect(response.text()).rejects.toThrow()
})

test('replies are used up by session; a subagent has scripts of its own', async () => {
  const api = await serve([
    { match: 'go', subagent: true, replies: [{ text: 'inside' }] },
    { match: 'go', subagent: false, replies: [{ text: 'one' }, { text: 'two', times: 0 }] },
  ])
  const say = async (headers: Record<string, string> = {}) => {
    const { content } = (await (await post(api, 'go', {}, headers)).json()) as { content: { text: string }[] }
    return content[0]?.text
  }
  expect([await say(), await say({ 'x-claude-code-agent-id': 'a' }), await say(), await say()]).toEqual([
    'one',
    'inside',
    'two',
    'two',
  ])
  expect(await say({ 'x-claude-code-session-id': 's2' })).toBe('one')
})

test('closing does not wait for a slow answer', async () => {
  const api = await serveApi({ scripts: [{ replies: [{ text: 'late', delay_ms: 600_000 }] }] })
  const late = post(api, 'go').catch((error: Error) => error)
  while (api.asked.length === 0) await new Promise((done) => setTimeout(done, 10))
  await api.close()
  expect(await late).toBeInstanceOf(Error)
})
