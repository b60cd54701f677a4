// The API of an agent as its users know it: each request, each answer, each refusal, on the wire.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findKeepers } from '../../src/keeper/find.ts'
import { patience } from '../agent/kit.ts'
import {
  bash,
  type Face,
  faced,
  given,
  heard,
  long,
  name,
  untilBegun,
  untilState,
  untilTask,
} from './face.ts'
import { type Door, get, json, post, send } from './wire.ts'

const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
const id = expect.stringMatching(/^task-[a-z0-9]+$/)
const count = expect.any(Number)
const text = expect.any(String)
const words = { message: text, safe: text, next: text }

const both = async (at: Face): Promise<readonly Door[]> => [await at.own(), at.mounted()]
const go = (place: string): void => writeFileSync(join(place, 'go'), '')

const idleStatus = (port: number) => ({
  type: 'agent',
  name,
  interfaces: ['statusable', 'taskable', 'observable', 'configurable'],
  version: text,
  state: 'idle',
  uptime_seconds: count,
  current_task: null,
  config: expect.objectContaining({ port, role: 's' }),
  log: expect.arrayContaining([expect.objectContaining({ level: 'info', message: text })]),
})

test('status idle and busy; a task from 201 to completed; busy and in progress are refused', async () => {
  const at = await faced({ scripts: [long, heard] })
  await untilState(at.mounted(), 'idle')
  for (const door of await both(at)) {
    expect(await get(door, '/status')).toMatchObject({ status: 200, body: idleStatus(0) })
    expect(Object.keys((await get(door, '/status')).body)).toEqual(Object.keys(idleStatus(0)))
    const got = await post(door, '/task', {
      prompt: 'plough the field\nwith care',
      model: 'opus',
      timeout_seconds: 1800,
      session_id: null,
      project: { name: 'myapp', prompt: 'Work in the repository.' },
      env: { GITHUB_TOKEN: 'ghp_xxx' },
    })
    expect([got.status, got.body]).toEqual([201, { task_id: id, session_id: uuid, status: 'queued' }])
    const { task_id, session_id } = got.body
    const place = await untilBegun(at, door, task_id)

    expect((await get(door, '/status')).body).toEqual({
      ...idleStatus(0),
      state: 'working',
      current_task: { id: task_id, started_at: iso, prompt_preview: 'plough the field with care' },
    })
    const during = await get(door, `/task/${task_id}`)
    expect([during.status, during.body]).toEqual([
      200,
      {
        task_id,
        state: 'working',
        exit_code: null,
        started_at: iso,
        completed_at: null,
        duration_seconds: count,
        output: null,
        session_id,
        token_usage: null,
        progress: { turns: count, tokens: count, tool: 'Bash' },
      },
    ])
    const busy = await post(door, '/task', { prompt: 'another' })
    expect([busy.status, busy.body]).toEqual([
      409,
      {
        error: 'agent_busy',
        ...words,
        message: expect.stringContaining(task_id),
        details: expect.objectContaining({ current_task: task_id }),
        current_task: task_id,
      },
    ])
    const inProgress = await post(door, '/shutdown', {})
    expect([inProgress.status, inProgress.body]).toEqual([
      409,
      {
        error: 'task_in_progress',
        ...words,
        message: expect.stringContaining(task_id),
        details: expect.objectContaining({ task_id }),
        task_id,
      },
    ])
    expect((await get(door, '/tasks')).body).toEqual({
      tasks: [
        {
          task_id,
          state: 'working',
          exit_code: null,
          started_at: iso,
          completed_at: null,
          duration_seconds: count,
          session_id,
          token_usage: null,
          prompt_preview: 'plough the field with care',
          queued_at: iso,
        },
      ],
    })
    go(place)
    await untilTask(door, task_id, 'completed')
    const done = await get(door, `/task/${task_id}`)
    expect(done.body).toEqual({
      task_id,
      state: 'completed',
      exit_code: 0,
      started_at: iso,
      completed_at: iso,
      duration_seconds: count,
      output: 'Late.',
      session_id,
      token_usage: { input: count, output: count },
      cost_usd: count,
    })
    expect((await get(door, '/tasks')).body).toEqual({ tasks: [] })
    const again = await post(door, `/task/${task_id}/cancel`)
    expect([again.status, again.body]).toEqual([
      409,
      {
        error: 'already_completed',
        ...words,
        details: expect.objectContaining({ final_state: 'completed' }),
        final_state: 'completed',
      },
    ])
    await untilState(door, 'idle')
  }
  // A secret of a task is nowhere to be read afterwards.
  for (const file of ['agency.log', `agents/${name}/agent.log`])
    expect(readFileSync(join(at.root, file), 'utf8')).not.toContain('ghp_xxx')
})

test('cancel, continue, end: what is told is what is so', async () => {
  const at = await faced({ scripts: [long, heard] })
  await untilState(at.mounted(), 'idle')
  for (const door of await both(at)) {
    const running = await given(door, { prompt: 'plough' })
    await untilBegun(at, door, running)
    const cancelled = await post(door, `/task/${running}/cancel`)
    expect([cancelled.status, cancelled.body]).toEqual([
      200,
      { task_id: running, state: 'cancelling', message: 'Task cancellation initiated' },
    ])
    const over = await untilTask(door, running, 'cancelled')
    expect(over).toMatchObject({ exit_code: null, completed_at: iso })

    const kept = await given(door, { prompt: 'one', keep_open: true })
    const { session_id } = await untilTask(door, kept, 'idle')
    expect((await get(door, '/tasks')).body.tasks).toMatchObject([{ task_id: kept, state: 'idle' }])
    const more = await post(door, `/task/${kept}/continue`, { prompt: 'Yes, proceed with option A' })
    expect([more.status, more.body]).toEqual([200, { task_id: kept, state: text, session_id }])
    await untilTask(door, kept, 'idle')
    const ended = await post(door, `/task/${kept}/end`)
    expect([ended.status, ended.body]).toEqual([200, { task_id: kept, state: 'completed', output: 'Heard.' }])
    expect(await post(door, `/task/${kept}/end`)).toMatchObject({
      status: 409,
      body: { error: 'already_completed', final_state: 'completed' },
    })
    expect(await post(door, `/task/${running}/continue`, { prompt: 'x' })).toMatchObject({ status: 200 })
    await untilTask(door, running, 'completed')
  }
})

test('failures of the CLI are told with the task: timeout and claude_error', async () => {
  const broken = { error: { status: 400, type: 'invalid_request_error', message: 'no such thing' }, times: 0 }
  const at = await faced({ scripts: [long, { match: 'break', replies: [broken] }, heard] })
  await untilState(at.mounted(), 'idle')
  const door = await at.own()
  const late = await given(door, { prompt: 'plough', timeout_seconds: 2 })
  expect(await untilTask(door, late, 'failed')).toEqual({
    task_id: late,
    state: 'failed',
    exit_code: count,
    started_at: iso,
    completed_at: iso,
    duration_seconds: count,
    output: null,
    error: { type: 'timeout', message: 'Task exceeded timeout of 2 seconds', retryable: expect.any(Boolean) },
    session_id: uuid,
    token_usage: expect.toSatisfy((usage: unknown) => usage === null || typeof usage === 'object'),
  })
  const wrong = await given(door, { prompt: 'break' })
  expect(await untilTask(door, wrong, 'failed')).toMatchObject({
    exit_code: 1,
    error: { type: 'claude_error', message: expect.stringContaining('no such thing') },
  })
  await untilTask(door, await given(door, { prompt: 'fine' }), 'completed')
})

test('the same key is the same task; another body under it is refused', async () => {
  const at = await faced({ scripts: [heard] })
  await untilState(at.mounted(), 'idle')
  const [own, mounted] = (await both(at)) as [Door, Door]
  const key = [['Idempotency-Key', 'k1']] as const
  const first = await post(own, '/task', { prompt: 'one' }, key)
  const { task_id } = first.body
  expect((await post(mounted, '/task', { prompt: 'one' }, key)).body).toMatchObject({ task_id })
  await untilTask(own, task_id, 'completed')
  expect((await post(mounted, '/task', { prompt: 'one', idempotency_key: 'k1' })).body).toMatchObject({
    task_id,
  })
  expect(await post(mounted, '/task', { prompt: 'two' }, key)).toMatchObject({
    status: 409,
    body: { error: 'idempotency_conflict', ...words },
  })
  expect((await get(own, '/history')).body.total).toBe(1)
})

test('history: newest first, in pages, by place; one of them whole, and what its CLI printed', async () => {
  const at = await faced({ scripts: [heard] })
  await untilState(at.mounted(), 'idle')
  const door = await at.own()
  const made: string[] = []
  for (const prompt of ['one', 'two', 'three']) {
    made.unshift(await given(door, { prompt }))
    await untilTask(door, made[0] ?? '', 'completed')
  }
  const idsOf = ({ tasks }: { tasks: { task_id: string }[] }) => tasks.map(({ task_id }) => task_id)
  const all = (await get(door, '/history')).body
  expect(all).toMatchObject({ page: 1, limit: 20, total: 3 })
  expect(idsOf(all)).toEqual(made)
  expect(all.tasks[0]).toEqual({
    task_id: made[0],
    state: 'completed',
    exit_code: 0,
    started_at: iso,
    completed_at: iso,
    duration_seconds: count,
    session_id: uuid,
    token_usage: { input: count, output: count },
    cost_usd: count,
    prompt_preview: 'three',
    queued_at: iso,
  })
  const second = (await get(at.mounted(), '/history?limit=2&page=2')).body
  expect([idsOf(second), second.page, second.limit, second.total]).toEqual([made.slice(2), 2, 2, 3])
  expect(idsOf((await get(door, `/history?before=${made[1]}`)).body)).toEqual(made.slice(2))
  expect(idsOf((await get(door, '/history?page=9')).body)).toEqual([])
  const one = await get(door, `/history/${made[0]}`)
  expect([one.status, one.body]).toEqual([
    200,
    expect.objectContaining({
      task_id: made[0],
      output: 'Heard.',
      prompt_preview: 'three',
      queued_at: iso,
      prompts: expect.any(Array),
      log: expect.any(Array),
    }),
  ])
  const debug = await get(door, `/task/${made[0]}/debug`)
  expect([debug.status, debug.body]).toEqual([200, { task_id: made[0], attempts: expect.any(Array) }])
})

test('shutdown drains: what runs may end in its time, then it is gone', async () => {
  const at = await faced({ scripts: [long, heard] })
  await untilState(at.mounted(), 'idle')
  const own = await at.own()
  const task = await given(own, { prompt: 'plough' })
  const place = await untilBegun(at, own, task)
  const answer = await post(own, '/shutdown', { timeout_seconds: 600 })
  expect([answer.status, answer.body]).toEqual([
    202,
    { message: 'Shutdown initiated', drain_timeout: 600, components: [`agents/${name}`] },
  ])
  await untilState(own, 'draining')
  expect(await post(own, '/task', { prompt: 'x' })).toMatchObject({
    status: 503,
    body: { error: 'draining' },
  })
  go(place)
  await untilState(at.mounted(), 'exited')
  expect((await get(at.mounted(), `/task/${task}`)).body).toMatchObject({
    state: 'completed',
    output: 'Late.',
  })
  // Its port is closed; the host goes on.
  await expect.poll(async () => (await get(own, '/status')).status, patience).toBe(0)
})

test('shutdown by force ends what runs at once', async () => {
  const at = await faced({ scripts: [long] })
  await untilState(at.mounted(), 'idle')
  const own = await at.own()
  const task = await given(own, { prompt: 'plough' })
  await untilBegun(at, own, task)
  expect(await post(own, '/shutdown', { force: true })).toMatchObject({
    status: 202,
    body: { drain_timeout: 0 },
  })
  await untilState(at.mounted(), 'exited')
  expect((await get(at.mounted(), `/task/${task}`)).body.state).toBe('interrupted')
  await expect.poll(() => findKeepers(at.root), patience).toEqual([])
})

test('config: told as the file says, changed there with its comments, and used by the next task', async () => {
  const told = bash('tr "\\0" "\\n" < /proc/$PPID/cmdline > argv')
  const file =
    '# ours\nrole: s\nport: 0 # any\nclaude:\n  model: haiku # cheap\nsandbox: { enabled: false }\n'
  const at = await faced({ scripts: [{ replies: [told, { text: 'Told.' }] }] }, { file })
  await untilState(at.mounted(), 'idle')
  const argv = async (door: Door): Promise<string> => {
    const { session_id } = await untilTask(door, await given(door, { prompt: 'tell' }), 'completed')
    return readFileSync(join(at.root, 'work', session_id, 'argv'), 'utf8')
  }
  const door = await at.own()
  const before = (await get(door, '/config')).body
  expect(before).toEqual({
    role: 's',
    port: 0,
    log_level: 'info',
    claude: { model: 'haiku', timeout: '30m', max_turns: 50 },
    credentials: [],
    labels: [],
    sandbox: { enabled: false },
  })
  expect(await argv(door)).toMatch(/--model=haiku\n/)
  const put = (body: object) =>
    send(door, { method: 'PUT', path: '/config', heads: json, body: JSON.stringify(body) })
  expect(await put({ ...before, claude: { ...before.claude, modle: 'opus' } })).toMatchObject({ status: 400 })
  expect(readFileSync(at.config, 'utf8')).toBe(file)
  const next = { ...before, claude: { ...before.claude, model: 'opus', max_turns: 7 } }
  expect(await put(next)).toMatchObject({ status: 200, body: next })
  expect(readFileSync(at.config, 'utf8')).toBe(
    '# ours\nrole: s\nport: 0 # any\nclaude:\n  model: opus # cheap\n  timeout: 30m\n  max_turns: 7\nsandbox: { enabled: false }\n',
  )
  expect((await get(at.mounted(), '/config')).body).toEqual(next)
  expect((await get(at.mounted(), '/status')).body.config).toMatchObject({ claude: { model: 'opus' } })
  expect(await argv(door)).toMatch(/--model=opus\n/)
  // Another role may need another program.
  writeFileSync(join(at.root, 'roles/c.yaml'), 'name: c\ninstructions: Work.\n')
  expect(await put({ ...next, role: 'c' })).toMatchObject({ status: 200 })
  await expect.poll(async () => (await get(door, '/status')).body.message, patience).toContain('logged in')
  expect(await untilTask(door, await given(door, { prompt: 'x' }), 'failed')).toMatchObject({
    error: { type: 'launch_error', message: expect.stringContaining('Claude Code cannot be started') },
  })
  // A file that a person has broken meanwhile is named, and stays as it is.
  writeFileSync(at.config, 'role: [')
  expect(await put(next)).toMatchObject({ status: 409, body: { error: 'config_invalid', ...words } })
  expect(readFileSync(at.config, 'utf8')).toBe('role: [')
})

test('a limit of the account: the task tells until when, others are refused meanwhile', async () => {
  const until = Math.floor(Date.now() / 1000) + 7200
  const message = `Claude AI usage limit reached|${until}`
  const limited = { error: { status: 400, type: 'invalid_request_error', message }, times: 0 }
  const at = await faced({ scripts: [{ match: 'much', replies: [limited] }, heard] })
  await untilState(at.mounted(), 'idle')
  const door = await at.own()
  const first = await given(door, { prompt: 'too much' })
  const retry_at = new Date(until * 1000).toISOString()
  expect(await untilTask(door, first, 'failed')).toMatchObject({
    error: { type: 'rate_limited', retryable: true, retry_at },
  })
  await untilState(door, 'limited')
  expect((await get(door, '/status')).body.message).toContain(retry_at)
  const got = await post(door, '/task', { prompt: 'another' })
  expect([got.status, got.body]).toEqual([
    429,
    {
      error: 'rate_limited',
      ...words,
      message: expect.stringContaining(retry_at),
      details: expect.any(Object),
    },
  ])
  expect(await post(door, `/task/${first}/continue`, { prompt: 'x' })).toMatchObject({ status: 429 })
})
