import { expect, test } from 'vitest'
import { loginOf, placeholder, walledEnvironment } from './rules.ts'

test('what would steer a loader or a shell outside does not come along', () => {
  const env = {
    PATH: '/bin',
    LD_PRELOAD: '/tree/x.so',
    BASH_ENV: '/tree/x',
    ENV: 'x',
    'BASH_FUNC_read%%': '() {',
    IFS: 'x',
    LANG: 'C',
  }
  expect(walledEnvironment(env, 'full')).toEqual({ PATH: '/bin', LANG: 'C' })
})

test('a proxy is named where there is one, and nothing is told to whom it does not reach', () => {
  const discreet = { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' }
  const here = 'http://127.0.0.1:3128'
  const around = '127.0.0.1,localhost,::1'
  expect(walledEnvironment({ A: 'b' }, 'none')).toEqual({ A: 'b', ...discreet })
  expect(walledEnvironment({ A: 'b' }, 'full')).toEqual({ A: 'b' })
  expect(walledEnvironment({ A: 'b', HTTP_PROXY: 'http://old' }, 'proxy')).toEqual({
    A: 'b',
    HTTP_PROXY: here,
    HTTPS_PROXY: here,
    http_proxy: here,
    https_proxy: here,
    NO_PROXY: around,
    no_proxy: around,
    ...discreet,
  })
})

const inner = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:3128/model' }
const base = 'https://api.anthropic.com'
test.each([
  [
    { ANTHROPIC_API_KEY: 'real' },
    undefined,
    {
      variables: { ...inner, ANTHROPIC_API_KEY: placeholder },
      model: { base, headers: { 'x-api-key': 'real' } },
    },
  ],
  [
    { ANTHROPIC_BASE_URL: 'http://proxy.corp/llm' },
    'token',
    {
      variables: { ...inner, CLAUDE_CODE_OAUTH_TOKEN: placeholder },
      model: { base: 'http://proxy.corp/llm', headers: { authorization: 'Bearer token' } },
    },
  ],
  [
    { ANTHROPIC_API_KEY: 'key', ANTHROPIC_AUTH_TOKEN: 'auth' },
    'token',
    {
      variables: { ...inner, ANTHROPIC_AUTH_TOKEN: placeholder },
      model: { base, headers: { authorization: 'Bearer auth' } },
    },
  ],
  [{}, undefined, { variables: inner, model: { base, headers: {} } }],
])('the agent gets a placeholder, and the relay the key: %j, %s', (env, token, expected) => {
  expect(loginOf(env, token, 'none')).toEqual(expected)
  expect(loginOf(env, token, 'proxy')).toEqual(expected)
})

test('with the whole network there is no relay: the agent holds the key itself', () => {
  expect(loginOf({ ANTHROPIC_API_KEY: 'real', ANTHROPIC_BASE_URL: 'http://x' }, 'token', 'full')).toEqual({
    variables: { ANTHROPIC_API_KEY: 'real', ANTHROPIC_BASE_URL: 'http://x' },
  })
})
