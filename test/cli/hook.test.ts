// `agency hook` is `dist/hook.cjs` by another name: the same answers, and never exit 1.
import { spawn } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { collect, program, world } from './kit.ts'

const input = JSON.stringify({
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'ls' },
})

const listener = async (status: number, body: string): Promise<string> => {
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(status).end(body))
  })
  onTestFinished(() => void server.close())
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}

test.each([
  ['an answer is passed on', 200, '{"decision":"block","reason":"no"}', '{"decision":"block","reason":"no"}'],
  [
    'a character that a terminal would obey stays',
    200,
    '{"reason":"\u202e\u009b1m"}',
    '{"reason":"\u202e\u009b1m"}',
  ],
  ['no opinion is silence', 204, '', undefined],
])('%s', async (_, status, body, expected) => {
  const said = await world().agency(['hook', 'pre-tool-use'], {
    stdin: input,
    env: { AGENCY_HOOK: await listener(status, body) },
  })
  expect(said).toMatchObject({ code: 0, err: '', out: expected === undefined ? '' : `${expected}\n` })
})

test.each([
  ['no listener in a managed session', input, { AGENCY_ACTOR: 'coder-1' }],
  ['a root that is not there', input, {}],
  ['empty input', '', { AGENCY_ROOT: '' }],
  ['input that is no object', 'null', { AGENCY_ROOT: '' }],
])('%s denies', async (_, stdin, env) => {
  const { code, out } = await world().agency(['hook', 'pre-tool-use'], { stdin, env })
  expect(code).toBe(0)
  expect(JSON.parse(out).hookSpecificOutput).toMatchObject({ permissionDecision: 'deny' })
})

test('where nobody manages the session the gate itself is asked, which has no opinion', async () => {
  const given = JSON.stringify({ ...JSON.parse(input), session_id: 's', cwd: '/', tool_use_id: 't1' })
  for (const as of ['agency', 'roz']) {
    const { agency, folder } = world()
    const called = join(folder, as)
    symlinkSync(program, called)
    const said = await agency(['hook', 'pre-tool-use'], {
      stdin: given,
      env: { AGENCY_ROOT: '' },
      as: called,
    })
    expect(said).toMatchObject({ code: 0, out: '', err: '' })
  }
})

test('an event that does not exist blocks', async () => {
  expect(await world().agency(['hook', 'pre-tol-use'], { stdin: input })).toMatchObject({ code: 2, out: '' })
})

test('an answer that cannot be written blocks', async () => {
  const child = spawn('bash', ['-c', '"$0" hook pre-tool-use > /dev/full', program], { env: world().env })
  child.stdin.end(input)
  expect((await collect(child)).code).toBe(2)
})

test('a signal blocks', async () => {
  const silent = createServer()
  onTestFinished(() => void silent.close())
  await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening))
  const { port } = silent.address() as AddressInfo
  const child = world().start(['hook', 'pre-tool-use'], {
    stdin: input,
    env: { AGENCY_HOOK: `http://127.0.0.1:${port}/hook` },
  })
  const ended = collect(child)
  silent.once('request', () => child.kill('SIGTERM'))
  expect((await ended).code).toBe(2)
})
