// What is not a task, or comes at the wrong time: refused in words, and nothing is made.
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { expect, test } from 'vitest'
import { reach } from '../../src/client/start.ts'
import { type Stage, stage } from './kit.ts'
import { ask, give, given, untilState } from './tasks.ts'

type Input = {
  method?: string
  path?: string
  headers?: Record<string, string>
  body?: unknown
  body_raw?: string
  body_b64?: string
  body_gen?: { json?: object; fill?: string; bytes?: number; nest?: string; depth?: number }
}
type Case = {
  id: string
  name: string
  surface: string
  input: Input
  expect: { status: number | number[]; error?: string; message_has?: string[]; header_has?: string }
}

const corpus = JSON.parse(readFileSync('test/corpus/bad-input.json', 'utf8')) as Case[]
/** Of doors and tokens, of slow senders, of session directories: tried where those are. */
const elsewhere = ['i022', 'i034', 'i035', 'i037', 'i055', 'i074', 'i075']
const cases = corpus.filter(
  ({ id, surface, input }) =>
    surface === 'rest' && /^\/(task|history)\b/.test(input.path ?? '') && !elsewhere.includes(id),
)

const bodyOf = ({ body, body_raw, body_b64, body_gen }: Input): Buffer => {
  if (body_raw !== undefined) return Buffer.from(body_raw)
  if (body_b64 !== undefined) return Buffer.from(body_b64, 'base64')
  if (body_gen?.nest !== undefined) return Buffer.from(body_gen.nest.repeat(body_gen.depth ?? 0))
  if (body_gen !== undefined) {
    const fill = (body_gen.fill ?? '').repeat(body_gen.bytes ?? 0)
    return Buffer.from(JSON.stringify(body_gen.json).replace('$FILL', fill))
  }
  return Buffer.from(body === undefined ? '' : JSON.stringify(body))
}

const sent = async (at: Stage, input: Input) => {
  const client = await reach(at.root)
  if (!('socket' in client)) return expect.fail('there is no socket')
  return new Promise<{ status: number; headers: object; text: string }>((resolve, reject) => {
    const body = bodyOf(input)
    const asked = request(
      {
        socketPath: client.socket,
        method: input.method ?? 'GET',
        path: `/agents/coder${input.path}`,
        headers: { host: 'localhost', ...input.headers, 'content-length': body.length },
      },
      (response) => {
        let text = ''
        response.on('data', (chunk) => (text += chunk))
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        )
      },
    )
    asked.once('error', reject)
    asked.end(body)
  })
}

test('bad input is refused in words and makes no task; what is legal is done', async () => {
  expect(cases.length).toBeGreaterThan(18)
  const at = await stage({ scripts: [{ replies: [{ text: 'Heard.', times: 0 }] }] })
  await at.run('coder')
  const accepted: string[] = []
  for (const { id, input, expect: expected } of cases) {
    const got = await sent(at, input)
    const told = `${id}: ${got.text.slice(0, 300)}`
    expect([expected.status].flat(), told).toContain(got.status)
    const body = JSON.parse(got.text)
    if (expected.error !== undefined) expect(body.error, told).toBe(expected.error)
    for (const word of expected.message_has ?? [])
      expect(body.message.toLowerCase(), told).toContain(word.toLowerCase())
    if (expected.header_has !== undefined) expect(Object.keys(got.headers)).toContain(expected.header_has)
    expect(got.text).not.toMatch(/\bat .*:\d+:\d+/)
    if (got.status !== 201) continue
    accepted.push(body.task_id)
    await untilState(at, body.task_id, 'completed')
  }
  const { body } = await ask(at, 'GET', '/agents/coder/history')
  expect(body.tasks.map(({ task_id }: { task_id: string }) => task_id)).toEqual(accepted.toReversed())
}, 120_000)

const words: readonly (readonly [string, object, number, string, RegExp])[] = [
  [
    'workdir',
    { prompt: 'x', workdir: '/tmp' },
    400,
    'validation_error',
    /workdir is not taken: .*where its agent works/,
  ],
  [
    'a model',
    { prompt: 'x', model: 'opus' },
    400,
    'validation_error',
    /model cannot be given to an agent that runs/,
  ],
  [
    'env',
    { prompt: 'x', env: { A: '1' } },
    400,
    'validation_error',
    /env cannot be given to an agent that runs .*A/,
  ],
  ['no time', { prompt: 'x', timeout_seconds: 0 }, 400, 'validation_error', /timeout_seconds/],
  ['half a second', { prompt: 'x', timeout_seconds: 0.5 }, 400, 'validation_error', /timeout_seconds/],
  ['blanks', { prompt: ' \n' }, 400, 'validation_error', /prompt must not be empty/],
  [
    'a project without words',
    { prompt: 'x', project: { name: 'a' } },
    400,
    'validation_error',
    /project\.prompt/,
  ],
  ['a path for a session', { prompt: 'x', session_id: '../../etc' }, 400, 'validation_error', /session_id/],
  ['an empty key', { prompt: 'x', idempotency_key: '' }, 400, 'validation_error', /idempotency_key/],
  [
    'too much of two',
    { prompt: 'a'.repeat(200_000), project: { name: 'a', prompt: 'b'.repeat(200_000) } },
    400,
    'validation_error',
    /at most 250000 characters together/,
  ],
]

test('what a terminal agent cannot do is said in words', async () => {
  const at = await stage({ scripts: [{ replies: [{ text: 'Heard.', times: 0 }] }] })
  await at.run('coder')
  for (const [name, body, status, error, message] of words) {
    const got = await give(at, body)
    expect([got.status, got.body.error], `${name}: ${JSON.stringify(got.body)}`).toEqual([status, error])
    expect(got.body.message).toMatch(message)
  }
  const two = await give(at, { prompt: 'x', idempotency_key: 'a' }, { 'idempotency-key': 'b' })
  expect([two.status, two.body.error]).toEqual([400, 'validation_error'])
  const { session } = (await at.agent('coder')) ?? expect.fail('it is not there')
  await untilState(at, await given(at, { prompt: 'x', session_id: session }), 'completed')
  expect((await at.journal('task.queued')).length).toBe(1)
})

test('while it starts, while it drains, and where nothing would tell when it is done', async () => {
  const bash = { calls: [{ name: 'Bash', input: { command: 'touch began; sleep 600' } }] }
  const at = await stage(
    { scripts: [{ match: 'plough', replies: [bash, { text: 'Late.' }] }] },
    { s: 'name: s\nagent_type: scripted\ninstructions: Work.\npermissions:\n  allow: [Bash]\n' },
  )
  await at.run('coder')
  await at.say('coder', 'plough')
  await at.until('coder', { state: 'working' })
  expect(await give(at, { prompt: 'x' })).toMatchObject({
    status: 409,
    body: { error: 'agent_busy', current_task: null },
  })
  expect((await ask(at, 'POST', '/agents/coder/shutdown', { timeout_seconds: 600 })).status).toBe(202)
  await at.until('coder', { state: 'draining' })
  expect(await give(at, { prompt: 'x' })).toMatchObject({ status: 503, body: { error: 'draining' } })

  expect((await at.agency(['run', '--name', 'plain', '--detach', '--', 'cat'])).code).toBe(0)
  const plain = await ask(at, 'POST', '/agents/plain/task', { prompt: 'x' })
  expect(plain).toMatchObject({ status: 409, body: { error: 'not_taskable' } })
  expect((await ask(at, 'GET', '/agents/plain/status')).body.interfaces).toEqual(['statusable'])
})

test('an agent that has not reported yet takes no task', async () => {
  const at = await stage({ scripts: [], trouble: { hang_at_start: true } })
  at.start(['run', '--role', 's', '--name', 'coder', '--detach'])
  await at.until('coder', { state: 'starting' })
  expect(await give(at, { prompt: 'x' })).toMatchObject({ status: 503, body: { error: 'not_ready' } })
})
