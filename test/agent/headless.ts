// Tasks of a headless agent, as any program would give them over HTTP: the same cases for the stand-in and the real CLI.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Scenario } from '../../src/driver/scripted/scenario/schema.ts'
import { findKeepers } from '../../src/keeper/find.ts'
import { members } from '../../src/keeper/members.ts'
import { tasks as api, type TaskView } from '../../src/task/api.ts'
import type { Make } from './cast.ts'
import { patience, type Stage } from './kit.ts'
import { ask, statesOf } from './tasks.ts'

const name = 'ag-01'
const path = `/agents/${name}`

export const give = (at: Stage, body: object, headers?: Readonly<Record<string, string>>) =>
  ask(at, 'POST', `${path}/task`, body, headers)
const given = async (at: Stage, body: object): Promise<string> => {
  const got = await give(at, body)
  expect(got, JSON.stringify(got.body)).toMatchObject({ status: 201 })
  return got.body.task_id
}
const show = async (at: Stage, id: string): Promise<TaskView> =>
  api.show.reply.parse((await ask(at, 'GET', `${path}/task/${id}`)).body)
const untilState = async (at: Stage, id: string, state: string): Promise<TaskView> => {
  await expect
    .poll(async () => {
      const { state: is, error } = await show(at, id)
      return is === 'failed' && state !== is ? JSON.stringify(error) : is
    }, patience)
    .toBe(state)
  return show(at, id)
}
const post = (at: Stage, id: string, verb: string, body?: object) =>
  ask(at, 'POST', `${path}/task/${id}/${verb}`, body ?? {})
const status = async (at: Stage) => (await ask(at, 'GET', `${path}/status`)).body

/** A root with one headless agent, and its host up. */
const staged = async (
  make: Make,
  scenario: Scenario,
  { role = '', file = '' }: { readonly role?: string; readonly file?: string } = {},
): Promise<Stage> => {
  const at = await make(scenario, `permissions:\n  allow: [Bash]\n${role}`)
  mkdirSync(join(at.root, 'agents', name), { recursive: true })
  writeFileSync(join(at.root, 'agents', name, 'config.yaml'), `role: s\nsandbox: { enabled: false }\n${file}`)
  expect((await at.agency(['start'])).code).toBe(0)
  await expect.poll(async () => (await status(at)).state, patience).toBe('idle')
  return at
}

const bash = (command: string) => ({ calls: [{ name: 'Bash', input: { command } }] })
const heard = { replies: [{ text: 'Heard.', times: 0, usage: { input: 100, output: 7 } }] }
const waits = 'touch began; while [ ! -e go ]; do sleep 0.05; done'
const long = { match: 'plough', replies: [bash(waits), { text: 'Late.' }] }
const placeOf = (at: Stage, session: string): string => join(at.root, 'work', session)
const begun = async (at: Stage, id: string) => {
  const { session_id } = await show(at, id)
  await expect.poll(() => existsSync(join(placeOf(at, session_id), 'began')), patience).toBe(true)
  return placeOf(at, session_id)
}
const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

/** Nothing of an attempt is left, however it ended. */
const untilGone = (at: Stage) => expect.poll(() => findKeepers(at.root), patience).toEqual([])

export const headlessCases: Readonly<Record<string, (make: Make) => Promise<void>>> = {
  'a task is done in a directory of its session, and told with what it used': async (make) => {
    const at = await staged(make, {
      scripts: [{ match: 'Fix', replies: [bash('pwd > where'), { text: 'Fixed.' }] }],
    })
    const got = await give(at, { prompt: 'Fix the bug', project: { name: 'myapp', prompt: 'In the tree.' } })
    const { task_id: id, session_id: session } = got.body
    expect(got).toEqual({ status: 201, body: { task_id: id, session_id: session, status: 'queued' } })
    const done = await untilState(at, id, 'completed')
    expect(done).toEqual({
      task_id: id,
      state: 'completed',
      exit_code: 0,
      started_at: iso,
      completed_at: iso,
      duration_seconds: expect.any(Number),
      output: 'Fixed.',
      session_id: session,
      token_usage: { input: expect.any(Number), output: expect.any(Number) },
      cost_usd: expect.any(Number),
    })
    expect(done.token_usage?.output).toBeGreaterThan(0)
    expect(readdirSync(placeOf(at, session))).toContain('where')
    expect(await statesOf(at, id)).toEqual(['working', 'completed'])
    await expect.poll(async () => (await status(at)).state, patience).toBe('idle')
    await untilGone(at)
  },

  'while it works: status and progress say so, others are refused': async (make) => {
    const at = await staged(make, { scripts: [long] })
    const id = await given(at, { prompt: 'plough the field\nwith care' })
    const place = await begun(at, id)
    expect(await status(at)).toMatchObject({
      state: 'working',
      interfaces: ['statusable', 'taskable', 'observable', 'configurable'],
      current_task: { id, started_at: iso, prompt_preview: 'plough the field with care' },
    })
    await expect.poll(async () => (await show(at, id)).progress, patience).toMatchObject({ tool: 'Bash' })
    expect(await show(at, id)).toMatchObject({
      state: 'working',
      exit_code: null,
      completed_at: null,
      output: null,
    })
    expect(await give(at, { prompt: 'another' })).toMatchObject({
      status: 409,
      body: { error: 'agent_busy', current_task: id },
    })
    writeFileSync(join(place, 'go'), '')
    expect(await untilState(at, id, 'completed')).toMatchObject({ output: 'Late.' })
  },

  'a session goes on with session_id, and what it used is the difference': async (make) => {
    const at = await staged(make, { scripts: [heard] })
    const first = await untilState(at, await given(at, { prompt: 'one' }), 'completed')
    const { session_id } = first
    const second = await untilState(at, await given(at, { prompt: 'two', session_id }), 'completed')
    expect(second.session_id).toBe(session_id)
    expect(second.token_usage?.output).toBeLessThanOrEqual((first.token_usage?.output ?? 0) * 2)
    expect(second.cost_usd).toBeLessThanOrEqual((first.cost_usd ?? 0) * 3)
    const unknown = '3f0c1a52-0000-4000-8000-000000000000'
    expect(await give(at, { prompt: 'x', session_id: unknown })).toMatchObject({
      status: 404,
      body: { error: 'not_found' },
    })
  },

  'kept open it is idle, takes other tasks between, is continued twice and ended': async (make) => {
    const at = await staged(make, { scripts: [heard] })
    const id = await given(at, { prompt: 'one', keep_open: true })
    const { session_id, output } = await untilState(at, id, 'idle')
    expect(output).toBe('Heard.')
    expect((await status(at)).current_task).toBe(null)
    await untilState(at, await given(at, { prompt: 'between' }), 'completed')
    for (const prompt of ['two', 'three']) {
      expect(await post(at, id, 'continue', { prompt })).toMatchObject({
        status: 200,
        body: { task_id: id, session_id },
      })
      await untilState(at, id, 'idle')
    }
    expect((await post(at, id, 'end')).body).toEqual({ task_id: id, state: 'completed', output: 'Heard.' })
    expect(await post(at, id, 'end')).toMatchObject({ status: 409, body: { error: 'already_completed' } })
    expect((await post(at, id, 'continue', { prompt: 'four' })).status).toBe(200)
    await untilState(at, id, 'idle')
  },

  'cancelled in the middle of a tool: nothing of it is left, and the next is done': async (make) => {
    const escapes = 'setsid sh -c "touch loose; sleep 300" & touch began; sleep 300'
    const at = await staged(make, { scripts: [{ match: 'plough', replies: [bash(escapes)] }, heard] })
    const id = await given(at, { prompt: 'plough' })
    await begun(at, id)
    const [keeper] = await findKeepers(at.root)
    const cancelled = await post(at, id, 'cancel')
    expect(cancelled).toMatchObject({ status: 200, body: { task_id: id, state: 'cancelling' } })
    expect((await post(at, id, 'cancel')).status).toBe(200)
    expect(await untilState(at, id, 'cancelled')).toMatchObject({ exit_code: null, completed_at: iso })
    expect(members({ cookie: keeper?.cookie ?? '', except: [] })).toEqual([])
    expect(await post(at, id, 'cancel')).toMatchObject({
      status: 409,
      body: { error: 'already_completed', final_state: 'cancelled' },
    })
    await untilState(at, await given(at, { prompt: 'next' }), 'completed')
    expect(await statesOf(at, id)).toEqual(['working', 'cancelling', 'cancelled'])
  },

  'too long: it is ended and has failed': async (make) => {
    const at = await staged(make, { scripts: [long] })
    const id = await given(at, { prompt: 'plough', timeout_seconds: 3 })
    const failed = await untilState(at, id, 'failed')
    expect(failed).toMatchObject({
      error: { type: 'timeout', message: 'Task exceeded timeout of 3 seconds' },
      completed_at: iso,
    })
    expect(failed.exit_code).toBeGreaterThan(0)
    await untilGone(at)
  },

  'the API refuses: 401 and an overflow fail at once, with the reason': async (make) => {
    const at = await staged(make, {
      scripts: [
        {
          match: 'login',
          replies: [
            { error: { status: 401, type: 'authentication_error', message: 'invalid x-api-key' }, times: 0 },
          ],
        },
        {
          match: 'much',
          replies: [
            {
              error: { status: 400, type: 'invalid_request_error', message: 'prompt is too long' },
              times: 0,
            },
          ],
        },
        heard,
      ],
    })
    expect(await untilState(at, await given(at, { prompt: 'login' }), 'failed')).toMatchObject({
      error: { type: 'auth_error', retryable: false },
    })
    expect(await untilState(at, await given(at, { prompt: 'much' }), 'failed')).toMatchObject({
      error: { type: 'context_overflow', retryable: false },
    })
    await untilState(at, await given(at, { prompt: 'fine' }), 'completed')
  },

  'a limit: it waits, says so, and goes on; where that would be too late it fails with the time': async (
    make,
  ) => {
    const error = { status: 429, type: 'rate_limit_error', message: 'slow down', retry_after: 1 }
    const at = await staged(make, {
      scripts: [
        { match: 'twice', replies: [{ error, times: 5 }, { text: 'At last.' }] },
        { match: 'cut off', replies: [{ text: 'At last.', times: 0 }] },
        { match: 'short', replies: [{ error, times: 0 }] },
      ],
    })
    const id = await given(at, { prompt: 'twice' })
    await expect.poll(async () => (await show(at, id)).progress?.retry_at, patience).toEqual(iso)
    expect(await status(at)).toMatchObject({ state: 'limited' })
    expect(await untilState(at, id, 'completed')).toMatchObject({ output: 'At last.' })
    expect(await statesOf(at, id)).toEqual(['working', 'queued', 'working', 'completed'])
    const late = await untilState(at, await given(at, { prompt: 'short', timeout_seconds: 4 }), 'failed')
    expect(['rate_limited', 'timeout']).toContain(late.error?.type)
  },

  'more turns than it may have: it fails, and says so': async (make) => {
    const script = { match: 'plough', replies: [{ ...bash('true'), times: 0 }] }
    const at = await staged(make, { scripts: [script] }, { file: 'claude: { max_turns: 2 }\n' })
    expect(await untilState(at, await given(at, { prompt: 'plough' }), 'failed')).toMatchObject({
      error: { type: 'max_turns', retryable: false },
      token_usage: { output: expect.any(Number) },
    })
  },

  'the host is killed while it works: the next one goes on with it': async (make) => {
    const at = await staged(make, { scripts: [long, heard] })
    const id = await given(at, { prompt: 'plough' })
    const place = await begun(at, id)
    await at.killHost()
    await at.agency(['start'])
    expect(await show(at, id)).toMatchObject({ state: 'working' })
    expect(await give(at, { prompt: 'x' })).toMatchObject({ status: 409, body: { current_task: id } })
    writeFileSync(join(place, 'go'), '')
    expect(await untilState(at, id, 'completed')).toMatchObject({ output: 'Late.' })
    const other = await given(at, { prompt: 'one' })
    await at.killHost()
    await at.agency(['start'])
    await untilState(at, other, 'completed')
    expect(await statesOf(at, id)).toEqual(['working', 'completed'])
    await untilGone(at)
  },

  'its keeper is killed: interrupted, or it goes on where it was if it may': async (make) => {
    const at = await staged(make, {
      scripts: [long, { match: 'cut off', replies: [{ text: 'Went on.' }] }, heard],
    })
    for (const resumable of [false, true]) {
      const id = await given(at, { prompt: 'plough', resumable })
      await begun(at, id)
      const [keeper] = await findKeepers(at.root)
      process.kill(keeper?.pid ?? Number.NaN, 'SIGKILL')
      const ended = await untilState(at, id, resumable ? 'completed' : 'interrupted')
      expect(ended).toMatchObject(resumable ? { output: 'Went on.' } : { error: { type: 'interrupted' } })
    }
    await untilGone(at)
  },

  'its env is for the task alone; names that would change who is asked are refused': async (make) => {
    const at = await staged(make, {
      scripts: [{ match: 'tell', replies: [bash('printf %s "$COLOUR" > colour'), { text: 'Told.' }] }],
    })
    const done = await untilState(
      at,
      await given(at, { prompt: 'tell', env: { COLOUR: 'blue' } }),
      'completed',
    )
    expect(existsSync(join(placeOf(at, done.session_id), 'colour'))).toBe(true)
    for (const env of [{ LD_PRELOAD: '/x.so' }, { AGENCY_ROOT: '/x' }, { 'a b': '' }])
      expect(await give(at, { prompt: 'x', env })).toMatchObject({
        status: 400,
        body: { error: 'validation_error' },
      })
  },

  'the same key is the same task, also for the next host': async (make) => {
    const at = await staged(make, { scripts: [heard] })
    const key = { 'idempotency-key': 'k1' }
    const both = await Promise.all([give(at, { prompt: 'one' }, key), give(at, { prompt: 'one' }, key)])
    expect(both.map(({ status }) => status)).toEqual([201, 201])
    const [id, other] = both.map(({ body }) => body.task_id)
    expect(other).toBe(id)
    await untilState(at, id, 'completed')
    await at.killHost()
    await at.agency(['start'])
    expect(await give(at, { prompt: 'one' }, key)).toMatchObject({ status: 201, body: { task_id: id } })
    expect(await give(at, { prompt: 'two' }, key)).toMatchObject({
      status: 409,
      body: { error: 'idempotency_conflict' },
    })
  },
}
