// What a task costs over the process that does it: of Claude Code, with and without walls, and of many through the
// queue. A floor is the same program with the same argv and model, without hooks and without agency around it.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { claude as pinned } from '../scripts/pinned.mjs'
import { agency, type Ground, takeGround } from '../soak/ground.ts'
import { type Client, call } from '../src/client/call.ts'
import { events } from '../src/client/events.ts'
import { route } from '../src/client/route.ts'
import { reach } from '../src/client/start.ts'
import { findBuilder } from '../src/sandbox/find.ts'
import type { queue as queueApi, tasks as taskApi } from '../src/task/api.ts'
import { isFinal } from '../src/task/rules.ts'
import type { TaskState } from '../src/task/schema.ts'
import { serveApi } from '../test/claude/api/serve.ts'
import { type Bare, bareOf } from './bare.ts'
import { interleaved, median, type Row } from './frame.ts'

export type TasksSize = {
  readonly rounds: number
  /** So many slices of so many tasks go through the queue. */
  readonly slices: number
  readonly slice: number
}

const prompt = 'Say what you heard.'
const scenario = { scripts: [{ replies: [{ text: 'Heard.', times: 0 }] }] }
/** No model answers at once: a short task takes a second. */
const thoughtful = { scripts: [{ replies: [{ text: 'Heard.', delay_ms: 1_000, times: 0 }] }] }
/** Milliseconds that a task may take longer. */
const promised = { open: 60, walled: 150 }
/** What the last one left, and the next spare keeper, must not be measured. */
const calm = 1_500
const atOnce = 8

/** As `npm run test:claude` installs it. */
const binary = resolve(
  ...['.cache/claude', pinned, 'node_modules/@anthropic-ai'],
  ...[`claude-code-${process.platform}-${process.arch}`, 'claude'],
)

/** What a fake key and a model on loopback need; nothing of whoever runs this. */
const surroundings = (model: string): NodeJS.ProcessEnv => ({
  CLAUDE_BIN: binary,
  ANTHROPIC_API_KEY: 'sk-ant-fake-0123456789-abcdefghij-klmnopqrst',
  ANTHROPIC_BASE_URL: model,
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  SHELL: '/bin/bash',
  LANG: 'C.UTF-8',
})

const furnish = (ground: Ground, type: string, agents: Readonly<Record<string, string>>): void => {
  writeFileSync(
    join(ground.root, 'roles/bench.yaml'),
    `name: bench\nagent_type: ${type}\ninstructions: Work.\n`,
  )
  for (const [name, walls] of Object.entries(agents)) {
    mkdirSync(join(ground.root, 'agents', name), { recursive: true })
    writeFileSync(join(ground.root, 'agents', name, 'config.yaml'), `role: bench\nsandbox: ${walls}\n`)
  }
}

type Watched = {
  readonly client: Client
  /** When it was told what became of the task. */
  told(id: string): Promise<number>
  close(): void
}

/** The journal tells the end of a task as it happens: nobody asks again and again. */
const watched = async (ground: Ground): Promise<Watched> => {
  const client = await reach(ground.root)
  const over = new AbortController()
  const ends = new Map<
    string,
    { readonly at: Promise<number>; tell(at: number): void; fail(why: Error): void }
  >()
  const endOf = (id: string) => {
    let [tell, fail] = [(_: number): void => {}, (_: Error): void => {}]
    const at = new Promise<number>((resolve, reject) => {
      tell = resolve
      fail = reject
    })
    const found = ends.get(id) ?? { at, tell, fail }
    ends.set(id, found)
    return found
  }
  const follow = async (): Promise<void> => {
    for await (const { type, subject, data } of events(client, { after: 0, signal: over.signal })) {
      const { state } = data as { state?: TaskState }
      if (type !== 'task.changed' || state === undefined || !isFinal({ state })) continue
      const found = endOf(subject.slice('task:'.length))
      if (state === 'completed') found.tell(performance.now())
      else found.fail(new Error(`a task is ${state}: ${JSON.stringify(data)}`))
    }
  }
  void follow()
  return { client, told: (id) => endOf(id).at, close: () => over.abort() }
}

const given =
  ({ client, told }: Watched, agent: string) =>
  async (): Promise<number> => {
    await pause(calm)
    const from = performance.now()
    const give = route<typeof taskApi.give>('POST', `/agents/${agent}/task` as '/task')
    const { task_id } = await call(client, give, { body: { prompt } })
    return (await told(task_id)) - from
  }

const after = (run: () => Promise<number>) => async (): Promise<number> => {
  await pause(calm)
  return run()
}

const over = (name: string, value: number, promise: number): Row => ({
  name,
  value: Math.max(0, value),
  floor: promise,
  floorName: 'the promise',
  unit: 'ms',
  limit: 1,
})

const missing = (name: string, absent: string): Row => ({
  name,
  absent,
  value: Number.NaN,
  floor: Number.NaN,
  floorName: '',
  unit: 'ms',
})

const names = { open: 'a task over `claude -p`', walled: 'within walls, with a proxy' }

/** A host, what watches it and a bare process beside it, as long as they are used. */
const within = async <T>(
  type: 'claude' | 'scripted',
  agents: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv,
  use: (watch: Watched, bare: Bare) => Promise<T>,
): Promise<T> => {
  const taken = takeGround()
  const ground = { ...taken, env: { ...taken.env, ...env } }
  let watch: Watched | undefined
  try {
    furnish(ground, type, agents)
    const { exit, err } = agency(ground, 'up', '--detach')
    if (exit !== 0) throw new Error(err)
    watch = await watched(ground)
    const bare = await bareOf({ ground, role: 'bench', prompt })
    return await use(watch, bare)
  } finally {
    watch?.close()
    agency(ground, 'kill', '--all')
    ground.remove()
  }
}

const claudeRows = async (rounds: number): Promise<Row[]> => {
  if (!existsSync(binary)) {
    const absent = 'not measured: `npm run test:claude` installs the CLI'
    return [missing(names.open, absent), missing(names.walled, absent)]
  }
  const walls = 'path' in (await findBuilder())
  const api = await serveApi(scenario)
  const agents = {
    open: '{ enabled: false }',
    ...(walls && { walled: '{ enabled: true, network: proxy, allowed_hosts: [example.com] }' }),
  }
  try {
    const times = await within('claude', agents, surroundings(api.url), (watch, bare) =>
      interleaved(rounds, {
        plain: after(bare),
        open: given(watch, 'open'),
        walled: walls ? given(watch, 'walled') : async () => Number.NaN,
      }),
    )
    const [plain, open] = [median(times.plain), median(times.open)]
    return [
      over(names.open, open - plain, promised.open),
      walls
        ? over(names.walled, median(times.walled) - plain, promised.walled)
        : missing(names.walled, 'not measured: there is no bubblewrap here'),
    ]
  } finally {
    await api.close()
  }
}

/** So many at a time, until all are done. */
const pool = async (count: number, run: () => Promise<unknown>): Promise<number> => {
  await pause(calm)
  let left = count
  const from = performance.now()
  const hand = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      await run()
    }
  }
  await Promise.all(Array.from({ length: atOnce }, hand))
  return performance.now() - from
}

const queued = async ({ client, told }: Watched, count: number): Promise<number> => {
  await pause(calm)
  const from = performance.now()
  const give = route<typeof queueApi.give>('POST', '/tasks')
  const all = Array.from({ length: count }, async () => {
    const { task_id } = await call(client, give, { body: { prompt } })
    return told(task_id)
  })
  return Math.max(...(await Promise.all(all))) - from
}

const queueRow = async ({ slices, slice }: TasksSize, scratch: string): Promise<Row> => {
  const file = join(scratch, 'scenario.json')
  writeFileSync(file, JSON.stringify(thoughtful))
  const agents = Array.from({ length: atOnce }, (_, at) => [`a${at}`, '{ enabled: false }'])
  const env = { AGENCY_SCENARIO: file }
  const times = await within('scripted', Object.fromEntries(agents), env, (watch, bare) =>
    interleaved(slices, { queue: () => queued(watch, slice), pool: () => pool(slice, bare) }),
  )
  const rate = (took: readonly number[]): number => slice / (median(took) / 1000)
  return {
    name: `${slices * slice} tasks through the queue, ${atOnce} agents`,
    value: rate(times.queue),
    floor: rate(times.pool),
    floorName: 'a bare pool',
    unit: '/s',
    limit: 0.8,
    more: 'better',
  }
}

export const taskRows = async (size: TasksSize, scratch: string): Promise<Row[]> => [
  ...(await claudeRows(size.rounds)),
  await queueRow(size, scratch),
]
