// What a switch does to work that was given: a task that runs, a message that waits, an agent that takes tasks.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { bash, write } from '../twin/say.ts'
import type { Make } from './cast.ts'
import { patience, type Stage } from './kit.ts'
import { begun, launch, made, staged, waits } from './switch.ts'
import { ask } from './tasks.ts'

const scripts = (cwd: string) => [
  { match: 'plough', replies: [{ calls: [bash(waits)] }, { text: 'Late.' }] },
  { match: 'try', replies: [{ calls: [write(join(cwd, 'new'))] }, { text: 'Tried.' }] },
]

const given = async (at: Stage, agent: string, body: object) => {
  const got = await ask(at, 'POST', `/agents/${agent}/task`, body)
  expect(got.status, JSON.stringify(got.body)).toBe(201)
  return got.body as { task_id: string; session_id: string }
}
const until = (at: Stage, agent: string, id: string, state: string) =>
  expect
    .poll(async () => (await ask(at, 'GET', `/agents/${agent}/task/${id}`)).body.state, patience)
    .toBe(state)

export const taskedCases: Readonly<Record<string, (make: Make) => Promise<void>>> = {
  'a task that is confirmed away is interrupted; a message that waits is read in the new role': async (
    make,
  ) => {
    const at = await staged(make, scripts)
    await launch(at, 'doer')
    const { task_id: id } = await given(at, 'a', { prompt: 'plough' })
    await begun(at)
    await at.until('a', { state: 'working', text: 'working (Bash)' })
    const sent = await at.agency(['send', 'a', 'try this', '--lane', 'idle'])
    expect(sent.code, sent.err).toBe(0)
    const switched = await ask(at, 'PUT', '/agents/a/role', { role: 'reader', confirm: true, by: 'me' })
    expect(switched).toMatchObject({ status: 200, body: { from: 'doer', to: 'reader', when: 'now' } })
    await until(at, 'a', id, 'interrupted')
    await at.until('a', { state: 'idle', role: 'reader', queued_messages: 0 })
    await expect
      .poll(async () => (await at.json(['message', 'list'])) as object, patience)
      .toMatchObject({
        messages: expect.arrayContaining([expect.objectContaining({ life: 'ended', text: 'try this' })]),
      })
    expect(made(at, 'new')).toBe(false)
    expect((await at.journal('session.switched')).map(({ data }) => data.by)).toEqual(['me'])
  },

  'an agent that takes tasks has it from the next one on, also in a conversation of before': async (make) => {
    const at = await staged(make, scripts)
    const file = join(at.root, 'agents/ag-01/config.yaml')
    mkdirSync(join(at.root, 'agents/ag-01'), { recursive: true })
    writeFileSync(file, `# Mine.\nrole: doer\nsandbox: { enabled: false }\nroot_dir: ${at.cwd}\n`)
    expect((await at.agency(['start'])).code).toBe(0)
    await expect
      .poll(async () => (await ask(at, 'GET', '/agents/ag-01/status')).body.state, patience)
      .toBe('idle')
    const { task_id: id, session_id: session } = await given(at, 'ag-01', { prompt: 'plough' })
    await begun(at)
    const said = await at.agency(['role', 'switch', 'ag-01', 'reader'])
    expect([said.code, said.out], said.err).toEqual([
      0,
      '"ag-01" is reader from its next task on; it was doer.\n',
    ])
    expect(readFileSync(file, 'utf8')).toBe(
      `# Mine.\nrole: reader\nsandbox: { enabled: false }\nroot_dir: ${at.cwd}\n`,
    )
    writeFileSync(join(at.cwd, 'go'), '')
    await until(at, 'ag-01', id, 'completed')
    expect(made(at, 'ended')).toBe(true)
    const next = await given(at, 'ag-01', { prompt: 'try', session_id: session })
    await until(at, 'ag-01', next.task_id, 'completed')
    expect(made(at, 'new')).toBe(false)
    expect((await at.journal('component.switched')).map(({ subject, data }) => [subject, data])).toEqual([
      ['component:agents/ag-01', { from: 'doer', to: 'reader', by: expect.any(String) }],
    ])
    const unknown = await ask(at, 'PUT', '/agents/ag-01/role', { role: 'nobody' })
    expect(unknown).toMatchObject({ status: 404, body: { error: 'role_not_found' } })
  },
}
