import { expect, test } from 'vitest'
import {
  backoff,
  costOf,
  failureWord,
  modelOf,
  modelUsage,
  retries,
  spend,
  spentBefore,
  troubleOf,
  troubleText,
} from './rules.ts'

test.each([
  [undefined, 'claude-opus-5-5'],
  ['sonnet', 'claude-sonnet-5-5'],
  ['haiku', 'claude-haiku-5-5'],
  ['my-model', 'my-model'],
])('the model %s is %s', (name, model) => expect(modelOf(name)).toBe(model))

test('what a session spent comes back from its transcript, each message once', () => {
  const line = (id: string) => ({
    type: 'assistant',
    message: { id, model: 'claude-haiku-5-5', usage: { input_tokens: 1000, output_tokens: 100 } },
    durationMs: 7,
  })
  const spent = spentBefore([{ type: 'user' }, line('a'), line('a'), line('b')])
  expect(spent).toEqual({
    cost: 0.003,
    apiMs: 14,
    usage: { 'claude-haiku-5-5': { input: 2000, output: 200 } },
  })
  expect(
    spend({ cost: 0, apiMs: 0, usage: {} }, 'claude-haiku-5-5', { input: 2000, output: 200 }, 14),
  ).toEqual(spent)
  expect(modelUsage(spent)).toMatchObject({ 'claude-haiku-5-5': { inputTokens: 2000, costUSD: 0.003 } })
  expect(costOf('claude-opus-5-5', { input: 1e6, output: 0 })).toBe(5)
})

test.each([
  [{ text: 'x' }, undefined, false, ''],
  [{ error: { status: 529, message: 'm' } }, 'overloaded', true, 'API Error: 529 m'],
  [{ error: { status: 401 } }, 'authentication_failed', true, 'API Error: 401 Scripted error'],
  [{ error: { status: 400 } }, 'invalid_request', false, 'API Error: 400 Scripted error'],
  [
    { error: { status: 400, message: 'prompt is too long: x' } },
    'invalid_request',
    false,
    'Prompt is too long',
  ],
  [{ error: { status: 429 } }, 'rate_limit', true, 'API Error: 429 Scripted error'],
  [{ error: { cut: true } }, 'unknown', true, 'API Error: Connection error.'],
  [
    { stop: 'refusal' as const },
    'unknown',
    false,
    'API Error: Claude Code is unable to respond to this request',
  ],
  [
    { stop: 'max_tokens' as const },
    'max_output_tokens',
    false,
    "API Error: Claude's response exceeded the output token maximum",
  ],
])('%j is trouble: %s, tried again: %s', (reply, word, again, text) => {
  const trouble = troubleOf(reply)
  expect(trouble && failureWord(trouble)).toBe(word)
  expect(trouble ? retries(trouble) : false).toBe(again)
  expect(trouble ? troubleText(trouble) : '').toBe(text)
})

test.each([
  [1, undefined, 500],
  [3, undefined, 2000],
  [20, undefined, 32_000],
  [1, 7, 7000],
])('attempt %i with retry-after %s waits %i ms', (attempt, after, ms) =>
  expect(backoff(attempt, after)).toBe(ms),
)
