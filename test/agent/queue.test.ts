// Tasks for whoever fits: claimed once, in their order, by agents that are free; whatever dies meanwhile.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Scenario } from '../../src/driver/scripted/scenario/schema.ts'
import { castOf } from './cast.ts'
import { patience, type Stage } from './kit.ts'
import { promptsIn } from './messages.ts'
import { ask } from './tasks.ts'

const make = castOf('scripted')
const bash = (command: string) => ({ calls: [{ name: 'Bash', input: { command } }] })
const heard = { replies: [{ text: 'Heard.', times: 0 }] }

const staged = async (
  scenario: Scenario,
  files: Readonly<Record<string, string>>,
  more = '',
  roles: Readonly<Record<string, string>> = {},
): Promise<Stage> => {
  const at = await make(scenario, `permissions:\n  allow: [Bash]\n${more}`)
  for (const [name, text] of Object.entries(roles))
    writeFileSync(join(at.root, 'roles', `${name}.yaml`), text)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(at.root, 'agents', name), { recursive: true })
    writeFileSync(
      join(at.root, 'agents', name, 'config.yaml'),
      `${text.startsWith('role:') ? '' : 'role: s\n'}sandbox: { enabled: false }\n${text}`,
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
  expect(await list(at)).toEqual({ paused: false, paused_since: null, tasks: [] })
})

test('paused nothing begins; then the most important first, what is cancelled never, what is early later', async () => {
  const at = await staged({ scripts: [heard] }, { one: '' })
  const { body: pause } = await ask(at, 'POST', '/tasks/pause', { paused: true })
  expect(pause).toEqual({ paused: true, paused_since: expect.any(String) })
  const low = await given(at, { prompt: 'low', priority: -1 })
  const gone = await given(at, { prompt: 'gone' })
  const notBefore = Date.now() + 15_000
  const early = await given(at, {
    prompt: 'early',
    priority: 9,
    not_before: new Date(notBefore).toISOString(),
  })
  const high = await given(at, { prompt: 'high', priority: 5 })
  expect((await ask(at, 'POST', `/tasks/${gone}/cancel`, {})).body).toMatchObject({ state: 'cancelled' })
  await at.killHost()
  await at.agency(['start'])
  const left = await list(at)
  expect(left.tasks.map(({ task_id }: { task_id: string }) => task_id)).toEqual([early, high, low])
  // The journal has its own clock, a moment later.
  expect(Math.abs(Date.parse(left.paused_since) - Date.parse(pause.paused_since))).toBeLessThan(30_000)
  expect(await show(at, high)).toMatchObject({ waits: 'because tasks that wait are paused' })
  await ask(at, 'POST', '/tasks/pause', { paused: false })
  const ends = await Promise.all([high, low, early].map((id) => untilState(at, id, 'completed')))
  const [first = 0, second = 0, last = 0] = ends.map(({ started_at }) => Date.parse(started_at))
  expect(first).toBeLessThanOrEqual(second)
  expect(last).toBeGreaterThanOrEqual(notBefore)
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
  const header = { 'idempotency-key': 'k' }
  expect((await ask(at, 'POST', '/tasks', { prompt: 'one' }, header)).body.task_id).toBe(both[0])
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

test('an agent at a terminal gets what names it; whoever wants another is told so', async () => {
  const at = await staged({ scripts: [heard] }, {})
  await at.run('coder')
  const refused = await give(at, { prompt: 'x', select: { role: 's' } })
  expect(refused).toMatchObject({ status: 404, body: { error: 'nobody_fits' } })
  expect(refused.body.message).toContain('"coder" is at a terminal')
  expect(refused.body.next).toContain('--agent coder')
  const person = await (await at.keeper('coder')).attach({ stream: 'terminal', from: 0 })
  await expect.poll(() => at.screen('coder'), patience).toMatch(/^❯/m)
  await person.input(Buffer.from('half a thought'))
  await expect.poll(() => at.screen('coder'), patience).toMatch(/half a thought/)
  const named = await given(at, { prompt: 'named', select: { agent: 'coder' } })
  await expect
    .poll(async () => (await show(at, named)).waits, patience)
    .toBe('for the agent "coder": coder is being typed to')
  await person.input(Buffer.from('\r'))
  expect(await untilState(at, named, 'completed')).toMatchObject({ agent: 'coder', output: 'Heard.' })
  await person.close()
  await expect.poll(() => promptsIn(at, 'coder'), patience).toEqual(['half a thought', 'named'])
})

test('where the role says so, an idle agent at a terminal does its share; whoever dies, none is typed twice', async () => {
  const slow = { match: 'job', replies: [bash('sleep 0.2'), { text: 'Done.', times: 0 }] }
  const at = await staged({ scripts: [slow] }, { one: '' }, 'queue: true\n')
  await at.run('coder')
  const jobs = Array.from({ length: 8 }, (_, n) => `job ${n}`)
  const ids = await Promise.all(jobs.map((prompt) => given(at, { prompt })))
  for (let kills = 0; kills < 3; kills += 1) {
    await expect.poll(async () => (await list(at)).tasks.length, patience).toBeLessThan(8 - 2 * kills)
    await at.killHost()
    await at.agency(['start'])
  }
  const done = await Promise.all(ids.map((id) => untilState(at, id, 'completed')))
  const typed = done.flatMap(({ agent }, place) => (agent === 'coder' ? [jobs[place]] : []))
  expect(typed.length).toBeGreaterThan(0)
  expect(typed.length).toBeLessThan(8)
  await expect.poll(async () => [...(await promptsIn(at, 'coder'))].sort(), patience).toEqual(typed.sort())
})

const scripted = (name: string, roles: string) =>
  `name: ${name}\nagent_type: scripted\ninstructions: Lead.\ncapabilities:\n  can_delegate_to_roles: [${roles}]\n`

test('an agent hands work only to roles that its own delegates to, and so it waits', async () => {
  const at = await staged(
    { scripts: [heard] },
    { one: '', boss: 'role: lead\n', intern: 'role: junior\n' },
    '',
    { lead: scripted('lead', 's'), junior: scripted('junior', '') },
  )
  for (const [body, why] of [
    [{ by: 'intern' }, 'may delegate to no role'],
    [{ by: 'nobody' }, 'has no role'],
    [{ by: 'boss', select: { agent: 'intern' } }, 'no agent that fits has such a role'],
    [{ by: 'boss', select: { role: 'lead' } }, 'no agent that fits has such a role'],
    [{ by: 'boss', model: 'opus' }, '`model` is for a person'],
    [{ by: 'boss', priority: 1 }, '`priority` is for a person'],
  ] as const) {
    const refused = await give(at, { prompt: 'x', ...body })
    expect(refused, JSON.stringify(body)).toMatchObject({
      status: 403,
      body: { error: 'task_not_delegated' },
    })
    expect(refused.body.message).toContain(why)
  }
  for (const [agent, by, status] of [
    ['one', 'boss', 201],
    ['intern', 'boss', 403],
    ['one', 'intern', 403],
  ] as const)
    expect(await ask(at, 'POST', `/agents/${agent}/task`, { prompt: 'x', by })).toMatchObject({ status })
  // Two others are free all the time.
  const ids = await Promise.all([1, 2, 3].map((n) => given(at, { prompt: `job ${n}`, by: 'boss' })))
  const done = await Promise.all(ids.map((id) => untilState(at, id, 'completed')))
  expect(done.map(({ agent }) => agent)).toEqual(['one', 'one', 'one'])
  const [id] = ids
  const more = (by: string) => ask(at, 'POST', `/agents/one/task/${id}/continue`, { prompt: 'x', by })
  expect(await more('intern')).toMatchObject({ status: 403, body: { error: 'task_not_delegated' } })
  expect(await more('boss')).toMatchObject({ status: 200 })
})
