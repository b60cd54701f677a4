// `agency serve agent`, also by its other name: a host that runs one agent, or the face of one that another host runs.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findKeepers } from '../../src/keeper/find.ts'
import { patience, type Stage, stage } from '../agent/kit.ts'
import { ask } from '../agent/tasks.ts'
import { bash, given, heard, long, untilBegun, untilTask } from '../http/face.ts'
import { type Door, get, post } from '../http/wire.ts'

type Serving = { readonly child: ChildProcess; said(): string; over(): Promise<number | null> }

const watched = (child: ChildProcess): Serving => {
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (piece) => {
      said += piece
    })
  const code = once(child, 'close').then(([exit]) => exit as number | null)
  return { child, said: () => said, over: () => code }
}

const staged = (): Promise<Stage> =>
  stage(
    { scripts: [long, { match: 'tell', replies: [bash('true'), { text: 'Told.' }] }, heard] },
    { s: 'name: s\nagent_type: scripted\ninstructions: Work.\npermissions:\n  allow: [Bash]\n' },
  )

const file = 'role: s\nport: 0\nsandbox: { enabled: false }\n'

/** A config, in the root or beside it. */
const configIn = (directory: string, text = file): string => {
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'config.yaml'), text)
  return join(directory, 'config.yaml')
}

const serve = (at: Stage, config: string, ...more: string[]): Serving =>
  watched(at.start(['serve', 'agent', '--config', config, ...more]))

/** Once it says that it is idle: where. */
const doorOf = async (at: Stage, { said }: Serving): Promise<Door> => {
  await expect.poll(said, patience).toMatch(/is idle at http:\/\/127\.0\.0\.1:\d+/)
  const port = Number(/127\.0\.0\.1:(\d+)/.exec(said())?.[1])
  return { port, prefix: '', token: readFileSync(join(at.root, 'token'), 'utf8').trim() }
}

test('without a host it is one, for that agent alone; a signal ends both', async () => {
  const at = await staged()
  configIn(join(at.root, 'agents/other'))
  const serving = serve(at, configIn(join(at.root, 'agents/ag-01')))
  const door = await doorOf(at, serving)
  await untilTask(door, await given(door, { prompt: 'tell' }), 'completed')
  expect(await at.json(['status'])).toMatchObject({
    up: true,
    host: { pid: serving.child.pid },
    components: [{ id: 'agents/ag-01', state: 'idle' }],
  })
  const listed = await at.agency(['list'])
  expect(listed.out).toMatch(/^ag-01 +agent +idle +\d+/m)
  expect(listed.out).not.toContain('other')
  serving.child.kill('SIGTERM')
  expect([await serving.over(), serving.said()]).toEqual([
    0,
    expect.stringMatching(/agents\/ag-01 has ended\.\n$/),
  ])
  expect(existsSync(join(at.root, 'host.json'))).toBe(false)
})

test('a signal lets its task end; a second one does not', async () => {
  const at = await staged()
  const config = configIn(join(at.root, 'agents/ag-01'), `${file}pod: p\n`)
  const serving = serve(at, config)
  const door = await doorOf(at, serving)
  const id = await given(door, { prompt: 'plough' })
  const place = await untilBegun(at, door, id)
  for (const command of ['list', 'status'])
    expect((await at.agency([command])).out).toMatch(
      new RegExp(`ag-01 +agent +working +\\d+ +${id}: plough$`, 'm'),
    )
  expect((await at.agency(['list', '--pod', 'p'])).out).toMatch(/^ag-01 +agent +working/m)
  expect((await at.agency(['list', '--pod', 'q'])).out).toBe('No components in the pod "q".\n')
  serving.child.kill('SIGINT')
  await expect.poll(async () => (await get(door, '/status')).body?.state, patience).toBe('draining')
  writeFileSync(join(place, 'go'), '')
  expect(await serving.over()).toBe(0)

  const again = serve(at, config)
  const next = await doorOf(at, again)
  expect((await get(next, `/task/${id}`)).body).toMatchObject({ state: 'completed', output: 'Late.' })
  const cut = await given(next, { prompt: 'plough' })
  await untilBegun(at, next, cut)
  again.child.kill('SIGTERM')
  await expect.poll(async () => (await get(next, '/status')).body?.state, patience).toBe('draining')
  again.child.kill('SIGTERM')
  expect(await again.over()).toBe(0)
  expect(await findKeepers(at.root)).toEqual([])
})

test('where a host runs, that one runs it, and the command is its face', async () => {
  const at = await staged()
  expect((await at.agency(['start'])).code).toBe(0)
  const host = at.host()
  const serving = serve(at, configIn(join(at.folder, 'elsewhere/worker')))
  const door = await doorOf(at, serving)
  expect((await get(door, '/status')).body).toMatchObject({ name: 'worker', state: 'idle' })
  expect(at.host()).toEqual(host)
  await untilTask(door, await given(door, { prompt: 'tell' }), 'completed')
  // It is one of the root's while it is served, and the root has no trace of its config.
  expect(await at.json(['list'])).toMatchObject({ components: [{ id: 'agents/worker', state: 'idle' }] })
  expect(existsSync(join(at.root, 'agents/worker'))).toBe(false)
  expect(readFileSync(join(at.folder, 'elsewhere/worker/agent.log'), 'utf8')).toContain('agents/worker: idle')
  serving.child.kill('SIGTERM')
  expect(await serving.over()).toBe(0)
  expect(await at.json(['status'])).toMatchObject({ up: true, components: [{ state: 'exited' }] })
  // And once more.
  const again = serve(at, join(at.folder, 'elsewhere/worker/config.yaml'))
  await doorOf(at, again)
  expect((await at.agency(['stop', 'worker'])).code).toBe(0)
  expect([await again.over(), again.said()]).toEqual([0, expect.stringContaining('agents/worker has ended.')])
})

test('ended over its own API, the command ends with it', async () => {
  const at = await staged()
  const serving = serve(at, configIn(join(at.folder, 'a')))
  const door = await doorOf(at, serving)
  expect(await post(door, '/shutdown', {})).toMatchObject({ status: 202 })
  expect(await serving.over()).toBe(0)
})

test('the host is killed under it: the next one is brought it again, and its task goes on', async () => {
  const at = await staged()
  expect((await at.agency(['start'])).code).toBe(0)
  const serving = serve(at, configIn(join(at.folder, 'worker')))
  const door = await doorOf(at, serving)
  const id = await given(door, { prompt: 'plough' })
  const place = await untilBegun(at, door, id)
  const { session_id } = (await get(door, `/task/${id}`)).body
  // Held back, so that the next host has to do without it for a while.
  serving.child.kill('SIGSTOP')
  onTestFinished(() => void serving.child.kill('SIGCONT'))
  await at.killHost()
  expect((await at.agency(['start'])).code).toBe(0)
  const hook = (session: string) =>
    ask(at, 'POST', '/hook', { agent: 'worker', session, id: 'h1', event: 'PreToolUse', input: {} })
  // 503 makes its keeper ask again; what is nobody's is refused.
  expect(await hook(session_id)).toMatchObject({ status: 503 })
  expect(await hook('3f0c1a52-0000-4000-8000-000000000000')).toMatchObject({ status: 404 })
  writeFileSync(join(place, 'go'), '')
  serving.child.kill('SIGCONT')
  const moved = async (): Promise<Door> => {
    const { components } = (await at.json(['status'])) as { components: { port?: number }[] }
    return { ...door, port: components[0]?.port ?? expect.fail('it has no port yet') }
  }
  await expect
    .poll(
      async () => ((await at.json(['status'])) as { components: { port?: number }[] }).components[0]?.port,
      patience,
    )
    .toBeGreaterThan(0)
  expect(await untilTask(await moved(), id, 'completed')).toMatchObject({ output: 'Late.' })
  serving.child.kill('SIGTERM')
  expect(await serving.over()).toBe(0)
})

test('by its other name; what it is called', async () => {
  const at = await staged()
  const link = join(at.folder, 'ag-agent-claude')
  symlinkSync(resolve('bin/agency'), link)
  const config = configIn(join(at.folder, 'Odd Directory'), `${file}name: said\n`)
  const serving = watched(at.start(['--config', config], { as: link }))
  const door = await doorOf(at, serving)
  expect((await get(door, '/status')).body.name).toBe('said')
  serving.child.kill('SIGTERM')
  expect(await serving.over()).toBe(0)
  const typed = serve(at, config, '--name', 'typed')
  expect((await get(await doorOf(at, typed), '/status')).body.name).toBe('typed')
  // The same name from another file is somebody else.
  const other = configIn(join(at.folder, 'typed'))
  expect(await at.agency(['serve', 'agent', '--config', other])).toMatchObject({
    code: 1,
    err: expect.stringContaining('"typed" is already running'),
  })
  typed.child.kill('SIGTERM')
  expect(await typed.over()).toBe(0)
})

test('what cannot be served is refused before anything runs', async () => {
  const at = await staged()
  const bad: readonly (readonly [string[], number, RegExp])[] = [
    [['agent'], 2, /--config/],
    [['robot', '--config', 'x'], 2, /robot/],
    [['view'], 1, /`agency serve view` is not available/],
    [
      ['agent', '--config', join(at.folder, 'none.yaml')],
      2,
      /none\.yaml.*does not exist|is not there|missing/s,
    ],
    [
      ['agent', '--config', configIn(join(at.folder, 'b'), 'prot: 9000\n')],
      2,
      /config\.yaml:1:1 unknown field prot/,
    ],
    [['agent', '--config', configIn(join(at.folder, 'Odd One'))], 2, /"Odd One" is no good .*--name/s],
    [['agent', '--config', configIn(join(at.folder, 'c')), '--name', '../x'], 2, /\.\.\/x/],
    [
      ['agent', '--config', configIn(join(at.root, 'agents/d')), '--name', 'e'],
      2,
      /the directory is the name/,
    ],
  ]
  for (const [args, code, words] of bad) {
    const said = await at.agency(['serve', ...args])
    expect([said.code, said.err], args.join(' ')).toEqual([code, expect.stringMatching(words)])
  }
  expect(existsSync(join(at.root, 'host.json'))).toBe(false)
})
