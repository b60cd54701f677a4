// Tasks for a terminal agent over HTTP, behind a real host, keeper and terminal: the shapes, and that what is told is
// true. The same cases for the real CLI and its stand-in.
import { existsSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { expect } from 'vitest'
import { open } from '../../src/client/call.ts'
import { reach } from '../../src/client/start.ts'
import { tasks as api, type TaskView } from '../../src/task/api.ts'
import type { Make } from './cast.ts'
import { patience, type Stage } from './kit.ts'
import { promptsIn } from './messages.ts'

type Got<Body> = { readonly status: number; readonly body: Body }
// biome-ignore lint/suspicious/noExplicitAny: what a stranger on the wire would see.
type Anything = any

const textOf = async (response: IncomingMessage): Promise<string> => {
  let text = ''
  for await (const chunk of response) text += chunk
  return text
}

/** As any program would ask: `ask(at, 'POST', '/agents/coder/task', {…})`. */
export const ask = async (
  at: Stage,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Got<Anything>> => {
  const response = await open(await reach(at.root), { method, path, body, headers })
  return { status: response.statusCode ?? 0, body: JSON.parse(await textOf(response)) }
}

export const give = (at: Stage, body: object, headers?: Readonly<Record<string, string>>) =>
  ask(at, 'POST', '/agents/coder/task', body, headers)

export const given = async (at: Stage, body: object): Promise<string> => {
  const got = await give(at, body)
  expect(got, JSON.stringify(got.body)).toMatchObject({ status: 201, body: { status: 'queued' } })
  return api.give.reply.parse(got.body).task_id
}

export const show = async (at: Stage, id: string): Promise<TaskView> =>
  api.show.reply.parse((await ask(at, 'GET', `/agents/coder/task/${id}`)).body)

export const untilState = async (at: Stage, id: string, state: string): Promise<TaskView> => {
  await expect.poll(async () => (await show(at, id)).state, patience).toBe(state)
  return show(at, id)
}

const cancel = (at: Stage, id: string) => ask(at, 'POST', `/agents/coder/task/${id}/cancel`)
const status = async (at: Stage) => (await ask(at, 'GET', '/agents/coder/status')).body

export const statesOf = async (at: Stage, id: string) =>
  (await at.journal('task.changed'))
    .filter(({ subject }) => subject === `task:${id}`)
    .map(({ data }) => data.state)
    .filter((state, place, all) => state !== all[place - 1])

const bash = (command: string) => ({ calls: [{ name: 'Bash', input: { command } }] })
const heard = { replies: [{ text: 'Heard.', times: 0, usage: { input: 100, output: 7 } }] }
const waits = 'touch began; while [ ! -e go ]; do sleep 0.05; done'
const long = { match: 'plough', replies: [bash(waits), { text: 'Late.' }] }
const allowed = 'permissions:\n  allow: [Bash]\n'
const begun = (at: Stage) => expect.poll(() => existsSync(join(at.cwd, 'began')), patience).toBe(true)
const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

export const taskCases: Readonly<Record<string, (make: Make) => Promise<void>>> = {
  'a task is stored, worked on and completed, with its last words and what it used': async (make) => {
    const at = await make({ scripts: [heard] })
    await at.run('coder')
    const { session } = (await at.agent('coder')) ?? expect.fail('it is not there')
    const got = await give(at, {
      prompt: 'Fix the bug',
      timeout_seconds: 1800,
      session_id: null,
      project: { name: 'myapp', prompt: 'Work in the repository.' },
    })
    const id = got.body.task_id
    expect(got).toEqual({ status: 201, body: { task_id: id, session_id: session, status: 'queued' } })
    expect(await untilState(at, id, 'completed')).toMatchObject({ exit_code: 0, output: 'Heard.' })
    await expect.poll(async () => (await show(at, id)).token_usage?.output, patience).toBeGreaterThan(0)
    expect((await ask(at, 'GET', `/agents/coder/task/${id}`)).body).toEqual({
      task_id: id,
      state: 'completed',
      exit_code: 0,
      started_at: iso,
      completed_at: iso,
      duration_seconds: expect.any(Number),
      output: 'Heard.',
      session_id: session,
      token_usage: { input: expect.any(Number), output: expect.any(Number) },
      cost_usd: expect.any(Number),
    })
    expect(await statesOf(at, id)).toEqual(['working', 'completed'])
    await expect
      .poll(() => promptsIn(at, 'coder'), patience)
      .toEqual(['Project myapp: Work in the repository.'])
    expect(await status(at)).toMatchObject({
      type: 'agent',
      interfaces: ['statusable', 'taskable', 'observable'],
      state: 'idle',
      current_task: null,
    })
  },

  'while it works: status and task say so, others are refused; then it goes on': async (make) => {
    const at = await make({ scripts: [long, heard] }, allowed)
    await at.run('coder')
    const id = await given(at, { prompt: 'plough the field\nwith care' })
    await begun(at)
    await untilState(at, id, 'working')
    expect((await ask(at, 'GET', `/agents/coder/task/${id}`)).body).toEqual({
      task_id: id,
      state: 'working',
      exit_code: null,
      started_at: iso,
      completed_at: null,
      duration_seconds: expect.any(Number),
      output: null,
      session_id: expect.any(String),
      token_usage: null,
    })
    expect(await status(at)).toMatchObject({
      state: 'working',
      current_task: { id, started_at: iso, prompt_preview: 'plough the field with care' },
    })
    const refused = await give(at, { prompt: 'another' })
    expect(refused).toMatchObject({ status: 409, body: { error: 'agent_busy', current_task: id } })
    expect(refused.body.message).toContain(id)
    const shutdown = await ask(at, 'POST', '/agents/coder/shutdown', {})
    expect(shutdown).toMatchObject({ status: 409, body: { error: 'task_in_progress', task_id: id } })
    writeFileSync(join(at.cwd, 'go'), '')
    expect(await untilState(at, id, 'completed')).toMatchObject({ output: 'Late.' })
    const again = await given(at, { prompt: 'another' })
    await untilState(at, again, 'completed')
    const { body } = await ask(at, 'GET', '/agents/coder/history')
    expect(body.tasks.map((task: { task_id: string }) => task.task_id)).toEqual([again, id])
  },

  'a turn of a person is nobody’s task: busy, and so is a dialog': async (make) => {
    const at = await make({
      scripts: [{ match: 'plough', replies: [bash('touch ran'), { text: 'Done.' }] }, heard],
    })
    await at.run('coder')
    await at.say('coder', 'plough')
    await at.until('coder', { state: 'blocked' })
    const refused = await give(at, { prompt: 'x' })
    expect(refused).toMatchObject({ status: 409, body: { error: 'agent_busy', current_task: null } })
    expect(refused.body.message).toContain('permission')
    expect(await status(at)).toMatchObject({ state: 'blocked', current_task: null })
  },

  'cancelled: the turn is over, the agent is not, and takes the next': async (make) => {
    const at = await make({ scripts: [long, heard] }, allowed)
    await at.run('coder')
    const { pid } = (await at.agent('coder')) ?? expect.fail('it is not there')
    const id = await given(at, { prompt: 'plough' })
    await begun(at)
    const got = await cancel(at, id)
    expect(got).toEqual({
      status: 200,
      body: { task_id: id, state: 'cancelling', message: 'Task cancellation initiated' },
    })
    const over = await untilState(at, id, 'cancelled')
    expect(over).toMatchObject({ exit_code: null, output: null, completed_at: iso })
    await at.until('coder', { state: 'idle', pid })
    expect(await cancel(at, id)).toMatchObject({
      status: 409,
      body: { error: 'already_completed', final_state: 'cancelled' },
    })
    await untilState(at, await given(at, { prompt: 'next' }), 'completed')
    expect(await statesOf(at, id)).toEqual(['working', 'cancelling', 'cancelled'])
  },

  'cancelled while a dialog is up: the call does not run': async (make) => {
    const at = await make({
      scripts: [{ match: 'plough', replies: [bash('touch ran'), { text: 'Done.' }] }, heard],
    })
    await at.run('coder')
    const id = await given(at, { prompt: 'plough' })
    await at.until('coder', { state: 'blocked' })
    expect((await cancel(at, id)).body.state).toBe('cancelling')
    await untilState(at, id, 'cancelled')
    await at.until('coder', { state: 'idle' })
    expect(existsSync(join(at.cwd, 'ran'))).toBe(false)
  },

  'one that waits is taken back: it is never typed': async (make) => {
    const at = await make({ scripts: [heard] })
    await at.run('coder')
    const person = await (await at.keeper('coder')).attach({ stream: 'terminal', from: 0 })
    await expect.poll(() => at.screen('coder'), patience).toMatch(/^❯/m)
    await person.input(Buffer.from('half a thought'))
    await expect.poll(() => at.screen('coder'), patience).toMatch(/❯\s+half a thought/)
    const id = await given(at, { prompt: 'never' })
    const got = await cancel(at, id)
    await person.close()
    expect(got).toMatchObject({ status: 200, body: { state: 'cancelled' } })
    expect(await show(at, id)).toMatchObject({ started_at: null, duration_seconds: 0, token_usage: null })
    await untilState(at, await given(at, { prompt: 'after' }), 'completed')
    await expect.poll(() => promptsIn(at, 'coder'), patience).toEqual(['after'])
  },

  'too long: its turn is interrupted, and it has failed': async (make) => {
    const at = await make({ scripts: [long, heard] }, allowed)
    await at.run('coder')
    const id = await given(at, { prompt: 'plough', timeout_seconds: 3 })
    await begun(at)
    expect(await untilState(at, id, 'failed')).toMatchObject({
      exit_code: 1,
      error: { type: 'timeout', message: 'Task exceeded timeout of 3 seconds' },
    })
    await at.until('coder', { state: 'idle' })
  },

  'the API gives up: failed with the reason, and the next task is tried': async (make) => {
    const error = { status: 400, type: 'invalid_request_error', message: 'prompt is too long' }
    const at = await make({ scripts: [{ match: 'plough', replies: [{ error, times: 0 }] }, heard] })
    await at.run('coder')
    const id = await given(at, { prompt: 'plough' })
    expect(await untilState(at, id, 'failed')).toMatchObject({
      exit_code: 1,
      output: null,
      error: { type: 'claude_error', message: expect.stringMatching(/\w/) },
    })
    await at.until('coder', { state: 'error' })
    await untilState(at, await given(at, { prompt: 'next' }), 'completed')
  },

  'a person presses Esc, a session ends: interrupted': async (make) => {
    const at = await make({ scripts: [long, heard] }, allowed)
    await at.run('coder')
    const first = await given(at, { prompt: 'plough' })
    await begun(at)
    await untilState(at, first, 'working')
    await (await at.keeper('coder')).input(Buffer.from('\u001b'))
    await untilState(at, first, 'interrupted')
    await at.until('coder', { state: 'idle' })
    writeFileSync(join(at.cwd, 'go'), '')
    const second = await given(at, { prompt: 'quick' })
    await untilState(at, second, 'completed')
    await at.agency(['stop', 'coder'])
    expect(await give(at, { prompt: 'x' })).toMatchObject({ status: 409, body: { error: 'agent_ended' } })
    expect((await show(at, second)).output).toBe('Heard.')
  },

  'its session is stopped while it works: interrupted, and nothing of it is typed again': async (make) => {
    const at = await make({ scripts: [long, heard] }, allowed)
    await at.run('coder')
    const id = await given(at, { prompt: 'plough' })
    await begun(at)
    await at.agency(['stop', 'coder'])
    expect(await untilState(at, id, 'interrupted')).toMatchObject({ exit_code: null, completed_at: iso })
    expect((await at.agency(['session', 'resume', 'coder', '--detach'])).code).toBe(0)
    await untilState(at, await given(at, { prompt: 'after' }), 'completed')
    await expect.poll(() => promptsIn(at, 'coder'), patience).toEqual(['plough', 'after'])
  },

  'continued: another turn in its session, also once that was resumed; not while it is away': async (
    make,
  ) => {
    const at = await make({ scripts: [heard] })
    await at.run('coder')
    const id = await given(at, { prompt: 'one' })
    const { session_id } = await untilState(at, id, 'completed')
    const more = (prompt: string) => ask(at, 'POST', `/agents/coder/task/${id}/continue`, { prompt })
    const taken = { status: 200, body: { task_id: id, session_id } }
    const prompts = async () => (await ask(at, 'GET', `/agents/coder/history/${id}`)).body.prompts
    expect(await more('two')).toMatchObject(taken)
    await expect.poll(() => promptsIn(at, 'coder'), patience).toEqual(['one', 'two'])
    expect(await untilState(at, id, 'completed')).toMatchObject({ output: 'Heard.', session_id })
    await at.agency(['stop', 'coder'])
    const away = await more('three')
    expect(away).toMatchObject({ status: 409, body: { error: 'agent_ended' } })
    expect(away.body.next).toContain('agency session resume coder')
    await at.agency(['session', 'resume', 'coder', '--detach'])
    expect(await more('three')).toMatchObject(taken)
    await expect.poll(() => promptsIn(at, 'coder'), patience).toEqual(['one', 'two', 'three'])
    await untilState(at, id, 'completed')
    expect(await prompts()).toEqual(['one', 'two', 'three'])
    expect((await ask(at, 'GET', '/agents/coder/history')).body.total).toBe(1)
  },

  'the same key is the same task, also for the next host': async (make) => {
    const at = await make({ scripts: [heard] })
    await at.run('coder')
    const key = { 'idempotency-key': 'k1' }
    const both = await Promise.all([give(at, { prompt: 'one' }, key), give(at, { prompt: 'one' }, key)])
    expect(both.map(({ status }) => status)).toEqual([201, 201])
    const [id, other] = both.map(({ body }) => body.task_id)
    expect(other).toBe(id)
    await untilState(at, id, 'completed')
    await at.killHost()
    await at.agency(['start'])
    const again = await give(at, { prompt: 'one', idempotency_key: 'k1' })
    expect(again).toMatchObject({ status: 201, body: { task_id: id, status: 'completed' } })
    expect(await give(at, { prompt: 'two' }, key)).toMatchObject({
      status: 409,
      body: { error: 'idempotency_conflict' },
    })
    await untilState(at, await given(at, { prompt: 'three' }), 'completed')
    await expect.poll(() => promptsIn(at, 'coder'), patience).toEqual(['one', 'three'])
  },

  'the host dies while it works, is cancelled, or has just been given: the task is what it is': async (
    make,
  ) => {
    const at = await make({ scripts: [long, heard] }, allowed)
    await at.run('coder')
    const first = await given(at, { prompt: 'one' })
    await at.killHost()
    await at.agency(['start'])
    expect(await untilState(at, first, 'completed')).toMatchObject({ output: 'Heard.' })
    const second = await given(at, { prompt: 'plough' })
    await begun(at)
    await untilState(at, second, 'working')
    await at.killHost()
    await at.agency(['start'])
    await expect.poll(async () => (await status(at)).current_task?.id, patience).toBe(second)
    expect(await give(at, { prompt: 'x' })).toMatchObject({ status: 409, body: { current_task: second } })
    await cancel(at, second)
    await at.killHost()
    await at.agency(['start'])
    await untilState(at, second, 'cancelled')
    await untilState(at, await given(at, { prompt: 'last' }), 'completed')
    await expect.poll(() => promptsIn(at, 'coder'), patience).toEqual(['one', 'plough', 'last'])
    const { body } = await ask(at, 'GET', '/agents/coder/history?limit=2')
    expect(body.total).toBe(3)
    expect(body.tasks.map(({ state }: TaskView) => state)).toEqual(['completed', 'cancelled'])
  },
}
