// kill -9 at random moments, of hosts, keepers and agent processes, while ten headless agents do what waits for them.
// Every task that was taken has one result; none is lost, runs twice at once or again after its result; nothing is left.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { AgencyError } from '../src/base/error/fail.ts'
import { alive, type Identity } from '../src/base/process/identity.ts'
import { readHostFile } from '../src/client/address.ts'
import { type Client, call } from '../src/client/call.ts'
import { route } from '../src/client/route.ts'
import { reach } from '../src/client/start.ts'
import { layout } from '../src/config/layout/rules.ts'
import type { Scenario } from '../src/driver/scripted/scenario/schema.ts'
import type { host as hostApi } from '../src/host/api.ts'
import type { Event } from '../src/journal/schema.ts'
import { findKeepers } from '../src/keeper/find.ts'
import { members } from '../src/keeper/members.ts'
import type { queue as api } from '../src/task/api.ts'
import { mostLosses } from '../src/task/attempt/rules.ts'
import type { Task } from '../src/task/schema.ts'
import { type Chance, chance } from './chance.ts'
import { demand, settled } from './demand.ts'
import { asking, type Ground, takeGround } from './ground.ts'
import { journalOf } from './journal.ts'
import { left } from './orphans.ts'

export type Done = {
  readonly kills: number
  readonly hosts: number
  readonly keepers: number
  readonly processes: number
  readonly tasks: number
  readonly completed: number
  readonly interrupted: number
  readonly cancelled: number
  readonly attempts: number
  readonly seconds: number
}

export type TasksOptions = {
  readonly seed: number
  /** How often something is killed. */
  readonly kills: number
  readonly agents?: number
  /** How many wait at a time. */
  readonly tasks?: number
  /** Does wrong what agency must not, for the test of this loop. */
  readonly sabotage?: (ground: Ground) => void
  /** When it fails, its files stay: whoever looks for the cause needs the journal and what was printed. */
  readonly keep?: boolean
  readonly say?: (line: string) => void
}

type Given = { readonly id: string; readonly number: number; readonly resumable: boolean }

const give = route<typeof api.give>('POST', '/tasks')
const cancel = route<typeof api.cancel>('POST', '/tasks/:id/cancel')
const open = route<typeof api.list>('GET', '/tasks')
const components = route<typeof hostApi.components>('GET', '/components')

/** What each task runs: it sees whether another one of it still does, and leaves word of itself. */
const command = (number: number, ms: number): string =>
  [
    `f="$RUNS/${number}"`,
    `for p in $(cut -d' ' -f1 "$f" 2>/dev/null); do [ -d "/proc/$p" ] && echo "${number}" >> "$RUNS/doubled"; done`,
    `echo "$$ $(date +%s%3N)" >> "$f"; sleep ${ms / 1000}; echo x >> "$f.ended"; true`,
  ].join('; ')

const scenarioOf = (lengths: readonly number[]): Scenario => ({
  scripts: lengths
    .map((ms, number) => ({
      match: `job-${number}-`,
      replies: [
        { calls: [{ name: 'Bash', input: { command: command(number, ms) } }], delay_ms: ms % 97 },
        { text: `Done ${number}.` },
      ],
    }))
    .concat([{ match: 'cut off', replies: [{ text: 'Went on.', times: 0 }] } as never]),
})

const clientOf = ({ root }: Ground): Promise<Client> => reach(root, { patience: 5_000 })

/** Asked again and again, also of a host that is just killed. */
const insist = async <T>(ground: Ground, ask: (client: Client) => Promise<T>): Promise<T> => {
  for (const late = performance.now() + 120_000; ; await pause(50))
    try {
      return await ask(await clientOf(ground))
    } catch (error) {
      const passing = !(error instanceof AgencyError) || error.status >= 500
      if (!passing || performance.now() > late) throw error
      // Whoever kills it starts it again; but two deaths may meet.
      if (error instanceof AgencyError && error.code === 'host_absent') await asking(ground, ['start'])
    }
}

const killed = async (whom: Identity | undefined): Promise<boolean> => {
  if (whom === undefined || !alive(whom)) return false
  try {
    process.kill(whom.pid, 'SIGKILL')
  } catch {
    return false // It went by itself.
  }
  while (alive(whom)) await pause(5)
  return true
}

const processOf = (cookie: string): Identity | undefined =>
  members({ cookie, except: [] }).find(({ pid }) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('bin/scripted')
    } catch {
      return false
    }
  })

/** As long as they become fewer, it is no hang. */
const drained = async (ground: Ground): Promise<void> => {
  let [fewest, since] = [Number.POSITIVE_INFINITY, performance.now()]
  for (; ; await pause(200)) {
    const { tasks } = await insist(ground, (client) => call(client, open, {}))
    if (tasks.length === 0) return
    if (tasks.length < fewest) [fewest, since] = [tasks.length, performance.now()]
    const words = tasks.slice(0, 3).map(({ task_id, state, agent }) => `${task_id} ${state} (${agent})`)
    demand(performance.now() - since < 90_000, `${tasks.length} tasks are not over: ${words.join(', ')}`)
  }
}

type Count = { -readonly [K in keyof Done]: number }

const strike = async (ground: Ground, dice: Chance, count: Count): Promise<void> => {
  const what = dice.pick(['host', 'host', 'keeper', 'keeper', 'process', 'several'] as const)
  const keepers = await findKeepers(ground.root)
  const victim = keepers.length === 0 ? undefined : dice.pick(keepers)
  if ((what === 'keeper' || what === 'several') && (await killed(victim))) count.keepers += 1
  if (what === 'process' && victim !== undefined && (await killed(processOf(victim.cookie))))
    count.processes += 1
  if (what === 'host' || what === 'several') {
    if (await killed(readHostFile(ground.root))) count.hosts += 1
    // Now and then the next one is killed while it still meets what it finds.
    if (dice.below(3) === 0) {
      const starting = asking(ground, ['start'])
      await pause(dice.between(50, 600))
      if (await killed(readHostFile(ground.root))) count.hosts += 1
      await starting
    }
    await asking(ground, ['start'])
  }
  count.kills += 1
}

const finals = ['completed', 'failed', 'interrupted', 'cancelled']

/** What is wrong with what became of a task, by the journal and by what it left itself. */
export const faultsOf = (
  { id, number, resumable }: Given,
  events: readonly Event[],
  starts: readonly number[],
  ended: boolean,
): readonly string[] => {
  // What it does meanwhile is told too, perhaps a moment after its result.
  const lives = events.filter(
    ({ subject, type }) => subject === `task:${id}` && /^task\.(queued|changed)$/.test(type),
  )
  const states = lives.map(({ data }) => data as Partial<Task>)
  const results = states.filter(
    ({ state = '' }, at) => finals.includes(state) && !finals.includes(states[at - 1]?.state ?? ''),
  )
  const last = states.at(-1)
  const { state = 'nowhere', endedAt = Number.POSITIVE_INFINITY, failures = 0 } = last ?? {}
  // Killed again and again it is given up, and says so.
  const worn = failures >= mostLosses
  return [
    ...(lives[0]?.type === 'task.queued' ? [] : [`${id} was never stored`]),
    ...(results.length === 1 ? [] : [`${id} has ${results.length} results`]),
    ...(finals.includes(state) ? [] : [`${id} is left ${state}`]),
    ...(state === 'failed' && !worn ? [`${id} failed: ${last?.error?.message}`] : []),
    ...(state === 'interrupted' && resumable && !worn ? [`${id} may go on and did not`] : []),
    ...(state === 'completed' && !ended && !resumable
      ? [`${id} is completed, and its work ${number}, which began ${starts.length} times, never ended`]
      : []),
    ...(starts.length > 1 && !resumable ? [`${id} began its work ${starts.length} times`] : []),
    ...starts.filter((at) => at > endedAt).map(() => `${id} ran again after its result`),
  ]
}

const check = async (ground: Ground, given: readonly Given[], runs: string, count: Count): Promise<void> => {
  await settled(async () => {
    const { components: all } = await insist(ground, (client) => call(client, components, {}))
    const busy = all.filter(({ state }) => state !== 'idle').map(({ id, state }) => `${id} is ${state}`)
    return busy.length === 0 ? undefined : busy.join(', ')
  })
  await settled(async () => {
    const keepers = await findKeepers(ground.root)
    return keepers.length === 0
      ? undefined
      : `keepers are left: ${keepers.map(({ directory }) => directory).join(', ')}`
  })
  await asking(ground, ['kill', '--all'])
  const events = await journalOf(ground.root)
  const startsOf = (number: number): number[] => {
    const file = join(runs, String(number))
    if (!existsSync(file)) return []
    return readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => Number(line.split(' ')[1]))
  }
  const faults = given.flatMap((one) =>
    faultsOf(one, events, startsOf(one.number), existsSync(join(runs, `${one.number}.ended`))),
  )
  if (existsSync(join(runs, 'doubled')))
    faults.push(`ran twice at once: ${readFileSync(join(runs, 'doubled'), 'utf8')}`)
  demand(faults.length === 0, faults.slice(0, 8).join('; '))
  await settled(() => {
    const found = left(ground)
    return found.length === 0 ? undefined : `processes are left: ${found.join(', ')}`
  })
  const attempts = readdirSync(layout(ground.root).sessions, { recursive: true }).map(String)
  demand(!attempts.some((name) => /task-[a-z0-9]+\.\d+$/.test(name)), 'directories of attempts are left')
  for (const { type, data } of events) {
    if (type !== 'task.changed') continue
    if (data.state === 'completed') count.completed += 1
    if (data.state === 'interrupted') count.interrupted += 1
    if (data.state === 'cancelled') count.cancelled += 1
    if (data.state === 'working') count.attempts += 1
  }
}

export const toil = async (options: TasksOptions): Promise<Done> => {
  const { seed, kills, agents = 10, tasks = 200, sabotage, keep, say = () => {} } = options
  const dice = chance(seed)
  const began = performance.now()
  const count: Count = {
    kills: 0,
    hosts: 0,
    keepers: 0,
    processes: 0,
    tasks: 0,
    completed: 0,
    interrupted: 0,
    cancelled: 0,
    attempts: 0,
    seconds: 0,
  }
  // More than will ever be given: what is left over costs nothing.
  const lengths = Array.from({ length: tasks * (1 + Math.ceil(kills / 20)) }, () => dice.between(0, 700))
  const ground = takeGround()
  const folder = dirname(ground.root)
  const runs = join(folder, 'runs')
  mkdirSync(runs)
  writeFileSync(join(folder, 'scenario.json'), JSON.stringify(scenarioOf(lengths)))
  writeFileSync(
    join(ground.root, 'roles/s.yaml'),
    'name: s\nagent_type: scripted\ninstructions: Work.\npermissions:\n  allow: [Bash]\n',
  )
  for (let at = 0; at < agents; at += 1) {
    const place = join(ground.root, 'agents', `ag-${at}`)
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, 'config.yaml'), 'role: s\nsandbox: { enabled: false }\n')
  }
  Object.assign(ground.env, { AGENCY_SCENARIO: join(folder, 'scenario.json'), RUNS: runs })
  // Nothing is forgotten before it is judged.
  writeFileSync(join(ground.root, 'config.yaml'), 'history: { tasks: 100000 }\n')
  const given: Given[] = []
  const fill = async (): Promise<void> => {
    const { tasks: waiting } = await insist(ground, (client) => call(client, open, {}))
    // What is nearly done is filled up: there is always something to be killed.
    for (
      let room = waiting.length > tasks / 4 ? 0 : tasks - waiting.length;
      room > 0 && given.length < lengths.length;
      room -= 1
    ) {
      const number = given.length
      const resumable = dice.below(2) === 0
      const body = { prompt: `please job-${number}-`, resumable, idempotency_key: `k${number}` }
      const { task_id: id } = await insist(ground, (client) => call(client, give, { body }))
      given.push({ id, number, resumable })
    }
  }
  try {
    await asking(ground, ['start'])
    await fill()
    while (count.kills < kills) {
      await pause(dice.between(10, 600))
      await strike(ground, dice, count)
      if (dice.below(4) === 0 && given.length > 0) {
        const { id } = dice.pick(given)
        await insist(ground, (client) => call(client, cancel, { params: { id } })).catch(
          (error: AgencyError) => {
            if (error.code !== 'already_completed' && error.code !== 'not_found') throw error
          },
        )
      }
      if (count.kills % 10 === 0) {
        say(`${count.kills} kills, ${given.length} tasks given`)
        await fill()
      }
    }
    sabotage?.(ground)
    await drained(ground)
    count.tasks = given.length
    await check(ground, given, runs, count)
    ground.remove()
    return { ...count, seconds: (performance.now() - began) / 1000 }
  } catch (error) {
    await asking(ground, ['kill', '--all'])
    if (keep) say(`what is left of it lies in ${folder}`)
    else ground.remove()
    throw new Error(`seed ${seed}, after ${count.kills} kills: ${(error as Error).message}`)
  }
}
