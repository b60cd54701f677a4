// Tasks for whoever fits: claimed once, in their order, by agents that are free; whatever dies meanwhile.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Scenario } from '../../src/driver/scripted/scenario/schema.ts'
import { castOf } from './cast.ts'
import { patience, type Stage } from './kit.ts'
import { ask } from './tasks.ts'

const make = castOf('scripted')
const bash = (command: string) => ({ calls: [{ name: 'Bash', input: { command } }] })
const heard = { replies: [{ text: 'Heard.', times: 0 }] }

const staged = async (scenario: Scenario, files: Readonly<Record<string, string>>): Promise<Stage> => {
  const at = await make(scenario, 'permissions:\n  allow: [Bash]\n')
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(at.root, 'agents', name), { recursive: true })
    writeFileSync(
      join(at.root, 'agents', name, 'config.yaml'),
      `role: s\nsandbox: { enabled: false }\n${text}`,
    )
  }
  expect((await at.agency(['start'])).code).toBe(0)
  return at
}

const give = (at: Stage, body: object) => ask(at, 'POST', '/tasks', body)
const given = async (at: Stage, body: object): Promise<string> => {
  const got = await give(at, body)
  expect(got, JSON.stringify(got.body)).toMatchObject({ status: 202, body: { status: 'queued' } })
  return got.body.task_id
}
const show = async (at: Stage, id: string) => (await ask(at, 'GET', `/tasks/${id}`)).body
const untilState = async (at: Stage, id: string, state: string) => {
  await expect.poll(async () => (await show(at, id)).state, patience).toBe(state)
  return show(at, id)
}
const list = async (at: Stage) => (await ask(at, 'GET', '/tasks')).body

test('all are done, each by one that fits, and both agents have something to do', async () => {
  const at = await staged({ scripts: [heard] }, { one: 'labels: [fast]\n', two: 'pod: web\n' })
  const any = await Promise.all(Array.from({ length: 6 }, (_, at_) => given(at, { prompt: `job ${at_}` })))
  const fast = await given(at, { prompt: 'fast', select: { labels: ['fast'] } })
  const web = await given(at, { prompt: 'web', select: { pod: 'web', role: 's' } })
  const done = await Promise.all([...any, fast, web].map((id) => untilState(at, id, 'completed')))
  expect(done.map(({ output }) => output)).toEqual(Array.from({ length: 8 }, () => 'Heard.'))
  expect(new Set(done.map(({ agent }) => agent))).toEqual(new Set(['one', 'two']))
  expect([(await show(at, fast)).agent, (await show(at, web)).agent]).toEqual(['one', 'two'])
  const again = await given(at, { prompt: 'again', session_id: (await show(at, web)).session_id })
  expect(await untilState(at, again, 'completed')).toMatchObject({ agent: 'two' })
  expect(await list(at)).toEqual({ paused: false, tasks: [] })
})

test('paused nothing begins; then the most important first, what is cancelled never, what is early later', async () => {
  const at = await staged({ scripts: [heard] }, { one: '' })
  expect((await ask(at, 'POST', '/tasks/pause', { paused: true })).body).toEqual({ paused: true })
  const low = await given(at, { prompt: 'low', priority: -1 })
  const gone = await given(at, { prompt: 'gone' })
  const early = await given(at, {
    prompt: 'early',
    priority: 9,
    not_before: new Date(Date.now() + 6_000).toISOString(),
  })
  const high = await given(at, { prompt: 'high', priority: 5 })
  expect((await ask(at, 'POST', `/tasks/${gone}/cancel`, {})).body).toMatchObject({ state: 'cancelled' })
  await at.killHost()
  await at.agency(['start'])
  expect(await list(at)).toMatchObject({ paused: true, tasks: [{}, {}, {}] })
  await ask(at, 'POST', '/tasks/pause', { paused: false })
  const ends = await Promise.all([high, low, early].map((id) => untilState(at, id, 'completed')))
  const times = ends.map(({ started_at }) => Date.parse(started_at))
  expect([...times]).toEqual(times.toSorted((one, other) => one - other))
  expect(await show(at, gone)).toMatchObject({ state: 'cancelled', agent: null, started_at: null })
})

test('what nobody fits, would have to be stored, or asks for too much is refused', async () => {
  const at = await staged({ scripts: [heard] }, { one: '' })
  for (const [body, status, error] of [
    [{ prompt: 'x', select: { agent: 'nobody' } }, 404, 'nobody_fits'],
    [{ prompt: 'x', env: { A: 'b' } }, 400, 'validation_error'],
    [{ prompt: 'x', select: { label: ['a'] } }, 400, 'validation_error'],
    [{ prompt: 'x', credentials: ['github-token'] }, 400, 'validation_error'],
    [{ prompt: 'x', not_before: 'tomorrow' }, 400, 'validation_error'],
    [{ prompt: 'x', session_id: '3f0c1a52-0000-4000-8000-000000000000' }, 404, 'not_found'],
  ] as const)
    expect(await give(at, body), JSON.stringify(body)).toMatchObject({ status, body: { error } })
  const key = { prompt: 'one', idempotency_key: 'k' }
  const both = await Promise.all([given(at, key), given(at, key)])
  expect(both[0]).toBe(both[1])
  expect(await give(at, { ...key, prompt: 'two' })).toMatchObject({
    status: 409,
    body: { error: 'idempotency_conflict' },
  })
})

test('the host dies with tasks claimed and waiting: all are done, none twice', async () => {
  const log = (at: Stage): string => join(at.folder, 'runs')
  const at = await staged(
    {
      scripts: [
        {
          match: 'job',
          replies: [bash('echo x >> "$RUNS/$(basename "$PWD")"; sleep 0.3'), { text: 'Done.' }],
        },
      ],
    },
    { one: '', two: '' },
  )
  await at.agency(['down'])
  mkdirSync(log(at))
  at.env.RUNS = log(at)
  await at.agency(['start'])
  const ids = await Promise.all(Array.from({ length: 8 }, (_, n) => given(at, { prompt: `job ${n}` })))
  for (let kills = 0; kills < 3; kills += 1) {
    await expect.poll(async () => (await list(at)).tasks.length, patience).toBeLessThan(8 - kills)
    await at.killHost()
    await at.agency(['start'])
  }
  for (const id of ids) {
    const { session_id } = await untilState(at, id, 'completed')
    expect(existsSync(join(log(at), session_id))).toBe(true)
  }
})
