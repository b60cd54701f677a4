// Errors of the API: exit 1 and `is_error`, while `subtype` says success.
import { expect } from 'vitest'
import { bash } from '../twin/say.ts'
import { each, hooked, http } from '../twin/settings.ts'
import { twin } from '../twin/twin.ts'

for (const status of [400, 401, 403, 404, 429, 500, 529]) {
  twin(`status ${status}`, async (make) => {
    const rig = await make([
      { match: 'go', replies: [{ error: { status, message: 'told by the API' }, times: 0 }] },
    ])
    const { code, result } = await rig.print('go')
    expect([
      code,
      result?.subtype,
      result?.is_error,
      result?.api_error_status,
      result?.terminal_reason,
    ]).toEqual([1, 'success', true, status, 'api_error'])
    expect(result?.result).toEqual(expect.any(String))
  })
}

twin('a prompt that is too long has a reason of its own', async (make) => {
  const error = { status: 400, message: 'prompt is too long: 250000 tokens > 200000 maximum' }
  const rig = await make([{ match: 'go', replies: [{ error, times: 0 }] }])
  const { code, result } = await rig.print('go')
  expect([code, result?.subtype, result?.is_error, result?.terminal_reason]).toEqual([
    1,
    'success',
    true,
    'prompt_too_long',
  ])
})

twin('a connection cut in the middle of an answer', async (make) => {
  const rig = await make([{ match: 'go', replies: [{ text: 'half of it', error: { cut: true }, times: 0 }] }])
  const { code, result } = await rig.print('go')
  expect([code, result?.is_error, result?.api_error_status]).toEqual([1, true, null])
})

twin('a refusal of the model', async (make) => {
  const rig = await make([{ replies: [{ text: 'I would rather not.', stop: 'refusal', times: 0 }] }])
  const { code, result } = await rig.print('go')
  expect([code, result?.subtype, result?.is_error]).toEqual([1, 'success', true])
})

twin('retries are bounded, announced in the stream, and may succeed', async (make) => {
  const rig = await make([
    { match: 'go', replies: [{ error: { status: 529 }, times: 2 }, { text: 'At last.' }] },
  ])
  const { code, result, lines } = await rig.stream('go', [], { env: { CLAUDE_CODE_MAX_RETRIES: '3' } })
  const retries = lines.filter((line) => line.subtype === 'api_retry')
  expect(retries).toMatchObject([
    { type: 'system', attempt: 1, max_retries: 3, error_status: 529 },
    { type: 'system', attempt: 2, max_retries: 3, error_status: 529 },
  ])
  expect([code, result?.result]).toEqual([0, 'At last.'])
})

twin('an error fires StopFailure instead of Stop', async (make) => {
  const rig = await make([{ match: 'go', replies: [{ error: { status: 500 }, times: 0 }] }])
  const listener = await rig.listen()
  await rig.print('go', [], {
    settings: hooked(each(['UserPromptSubmit', 'Stop', 'StopFailure'], http(listener.url))),
  })
  expect(listener.events()).toEqual(['UserPromptSubmit', 'StopFailure'])
})

twin('an error after a tool ran keeps what was spent', async (make) => {
  const rig = await make([
    { match: 'go', replies: [{ calls: [bash('true')] }, { error: { status: 500 }, times: 0 }] },
  ])
  const { code, result } = await rig.print('go', ['--allowedTools=Bash'])
  expect([code, result?.is_error]).toEqual([1, true])
  expect(result?.total_cost_usd).toBeGreaterThan(0)
})
