// Every case of the corpus that names the API, at both doors of an agent.
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bash, type Face, faced, given, heard, long, untilBegun, untilState, untilTask } from './face.ts'
import { bytesOf, type Door, get, type Heads, type Heard, json, post, raw, send } from './wire.ts'

type Input = {
  method?: string
  path?: string
  headers?: Record<string, string>
  headers_list?: [string, string][]
  body?: unknown
  body_raw?: string
  body_b64?: string
  body_gen?: { json?: object; fill?: string; bytes?: number; nest?: string; depth?: number }
}
type Case = {
  id: string
  surface: string
  input: Input
  expect: {
    status: number | number[]
    error?: string
    message_has?: string[]
    header_has?: string
    max_items?: number
  }
}

const corpus = (JSON.parse(readFileSync('test/corpus/bad-input.json', 'utf8')) as Case[]).filter(
  ({ surface }) => surface === 'rest',
)
const caseOf = (id: string): Case => corpus.find((one) => one.id === id) ?? expect.fail(`there is no ${id}`)

const bodyOf = ({ body, body_raw, body_b64, body_gen }: Input): Buffer | undefined => {
  if (body_raw !== undefined) return Buffer.from(body_raw)
  if (body_b64 !== undefined) return Buffer.from(body_b64, 'base64')
  if (body_gen?.nest !== undefined) return Buffer.from(body_gen.nest.repeat(body_gen.depth ?? 0))
  if (body_gen !== undefined) {
    const fill = (body_gen.fill ?? '').repeat(body_gen.bytes ?? 0)
    return Buffer.from(JSON.stringify(body_gen.json).replace('$FILL', fill))
  }
  return body === undefined ? undefined : Buffer.from(JSON.stringify(body))
}

const ask = (
  door: Door,
  { method = 'GET', path = '', ...input }: Input,
  more: Heads = [],
): Promise<Heard> => {
  const body = bodyOf(input)
  return send(door, {
    method,
    path,
    heads: [...Object.entries(input.headers ?? {}), ...(input.headers_list ?? []), ...more],
    ...(body === undefined ? {} : { body }),
  })
}

const judge = ({ id, expect: wanted }: Pick<Case, 'id' | 'expect'>, got: Heard): void => {
  const told = `${id}: ${got.status} ${got.text.slice(0, 300)}`
  expect([wanted.status].flat(), told).toContain(got.status)
  if (wanted.error !== undefined) expect(got.body.error, told).toBe(wanted.error)
  for (const word of wanted.message_has ?? [])
    expect(got.body.message.toLowerCase(), told).toContain(word.toLowerCase())
  if (wanted.header_has !== undefined) expect(got.heads, told).toHaveProperty(wanted.header_has)
  if (wanted.max_items !== undefined)
    expect(got.body.tasks?.length ?? 0, told).toBeLessThanOrEqual(wanted.max_items)
  expect(got.text, told).not.toMatch(/\bat .*:\d+:\d+|node_modules|\/src\/|\/dist\//)
}

/** Those that need more than one request; each has a test below. */
const staged = ['i022', 'i034', 'i055', 'i072', 'i074', 'i075', 'i080']
const plain = corpus.filter(({ id }) => !staged.includes(id))
const doors = async (at: Face) => ({ 'its own port': await at.own(), 'the host': at.mounted() })

test('nothing of the corpus is passed over', () => {
  expect([corpus.length, plain.length]).toEqual([32, 25])
})

test('bad input is refused in words and makes no task; what is legal is done', async () => {
  const at = await faced({ scripts: [heard] })
  await untilState(at.mounted(), 'idle')
  const accepted: string[] = []
  for (const door of Object.values(await doors(at)))
    for (const one of plain) {
      const got = await ask(door, one.input)
      judge(one, got)
      if (got.status !== 201) continue
      accepted.push(got.body.task_id)
      // No word of a prompt is a flag, and no prompt is too long for a command line.
      expect(await untilTask(door, got.body.task_id, 'completed')).toMatchObject({ output: 'Heard.' })
    }
  expect(accepted).toHaveLength(4)
  const { tasks } = (await get(at.mounted(), '/history')).body
  expect(tasks.map(({ task_id }: { task_id: string }) => task_id)).toEqual(accepted.toReversed())
  const log = readFileSync(join(at.root, 'agency.log'), 'utf8')
  expect(log).not.toMatch(/Bearer (x|good|bad)\b/)
})

test('i034: what an agent is given opens no door', async () => {
  const at = await faced({
    scripts: [{ match: 'tell', replies: [bash('env > all'), { text: 'Told.' }] }, heard],
  })
  await untilState(at.mounted(), 'idle')
  const done = await untilTask(at.mounted(), await given(at.mounted(), { prompt: 'tell' }), 'completed')
  const seen = readFileSync(join(at.root, 'work', done.session_id, 'all'), 'utf8')
  const secrets = [...new Set(seen.match(/\b[0-9a-f]{32,}\b/g) ?? [])]
  expect(secrets.length).toBeGreaterThan(0)
  expect(seen).not.toContain(at.mounted().token)
  for (const door of Object.values(await doors(at)))
    for (const secret of secrets) {
      const { id, input, expect: wanted } = caseOf('i034')
      const headers = { ...input.headers, authorization: `Bearer ${secret}` }
      judge({ id, expect: wanted }, await ask(door, { ...input, headers }))
    }
})

test('i055: the directory of a session that is a symlink is not entered', async () => {
  const at = await faced({ scripts: [heard] })
  await untilState(at.mounted(), 'idle')
  const elsewhere = join(at.folder, 'elsewhere')
  mkdirSync(elsewhere)
  writeFileSync(join(elsewhere, 'kept'), '')
  mkdirSync(join(at.root, 'work'), { recursive: true })
  const session_id = '3f0c1a52-0000-4000-8000-000000000055'
  symlinkSync(elsewhere, join(at.root, 'work', session_id))
  for (const door of Object.values(await doors(at))) {
    const { id, expect: wanted } = caseOf('i055')
    judge({ id, expect: wanted }, await post(door, '/task', { prompt: 'hi', session_id }))
  }
  expect(readdirSync(elsewhere)).toEqual(['kept'])
})

test('i072, i075: cancelled twice; no task while it drains', async () => {
  const at = await faced({ scripts: [long, heard] })
  await untilState(at.mounted(), 'idle')
  const own = await at.own()
  const id = await given(own, { prompt: 'plough' })
  await untilBegun(at, own, id)
  expect(await post(own, '/shutdown', { timeout_seconds: 600 })).toMatchObject({ status: 202 })
  for (const door of [own, at.mounted()]) judge(caseOf('i075'), await ask(door, caseOf('i075').input))
  const both = await Promise.all([post(own, `/task/${id}/cancel`), post(at.mounted(), `/task/${id}/cancel`)])
  for (const got of both) judge(caseOf('i072'), got)
  await untilState(at.mounted(), 'exited')
  expect((await get(at.mounted(), `/task/${id}`)).body.state).toBe('cancelled')
  judge(caseOf('i072'), await post(at.mounted(), `/task/${id}/cancel`))
})

test('i074: no task while it starts, and its status says so', async () => {
  const claude = 'while [ ! -e "$HERE/go" ]; do sleep 0.05; done; echo "2.1.325 (Claude Code)"'
  const at = await faced({ scripts: [heard] }, { claude })
  for (const door of Object.values(await doors(at))) {
    expect((await get(door, '/status')).body.state).toBe('starting')
    const { id, input, expect: wanted } = caseOf('i074')
    judge({ id, expect: wanted }, await ask(door, input))
  }
  writeFileSync(join(at.folder, 'go'), '')
  await untilState(at.mounted(), 'idle')
})

/** One byte a second, for two minutes or until somebody has enough of it. */
const drip = (door: Door): Promise<string> =>
  new Promise((resolve) => {
    let heard = ''
    const line = connect({ port: door.port, host: '127.0.0.1' })
    const heads = [...json, ['transfer-encoding', 'chunked']] as const
    line.write(bytesOf(door, { method: 'POST', path: '/task', heads }))
    let left = 120
    const timer = setInterval(() => {
      line.write('1\r\n{\r\n')
      left -= 1
      if (left === 0) line.destroy()
    }, 1_000)
    line.on('data', (piece) => {
      heard += piece
    })
    // It is written to while it is being closed.
    line.on('error', () => {})
    line.on('close', () => {
      clearInterval(timer)
      resolve(left === 0 ? 'it went on' : heard)
    })
  })

test('i022, i080: a body that never ends, and what is no HTTP: refused or closed, others are served', async () => {
  const at = await faced({ scripts: [heard] })
  await untilState(at.mounted(), 'idle')
  const all = Object.values(await doors(at))
  const slow = Promise.all(all.map(drip))
  for (const door of all) {
    expect(await raw(door.port, Buffer.from('1603010200', 'hex'))).toMatch(/^HTTP\/1.1 400 /)
    expect((await get(door, '/status')).body.state).toBe('idle')
  }
  for (const text of await slow) expect(text).toMatch(/^(HTTP\/1.1 408 .*|)$/s)
})
