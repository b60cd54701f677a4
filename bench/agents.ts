// What many agents cost: a list of them, their keepers' memory, and everything while nothing happens.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { agency, asking, type Ground } from '../soak/ground.ts'
import type { AgentEntry } from '../src/agent/api.ts'
import { layout } from '../src/config/layout/rules.ts'
import { findKeeper } from '../src/keeper/find.ts'
import { reachKeeper } from '../src/keeper/reach.ts'
import { interleaved, median, type Row } from './frame.ts'

export type AgentsSize = {
  readonly agents: number
  readonly rounds: number
  readonly seconds: number
  readonly megabytes: number
}

const ticks = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return Number(fields[11]) + Number(fields[12])
}

/** Memory that is this process's own: what it shares with other programs of Node is not counted. */
const megabytes = (pid: number): number => {
  const found = /RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))
  return Number(found?.[1] ?? Number.NaN) / 1024
}

const listed = (ground: Ground): readonly AgentEntry[] =>
  (JSON.parse(agency(ground, 'list', '--json').out) as { agents: readonly AgentEntry[] }).agents

const launchIn = async (ground: Ground, name: string, words: readonly string[]): Promise<void> => {
  const cwd = join(ground.root, '..', 'work')
  mkdirSync(cwd, { recursive: true })
  const scenario = join(cwd, 'scenario.json')
  writeFileSync(scenario, '{"scripts":[]}')
  const all = ['run', '--name', name, '--detach', ...words]
  const { exit, err } = await asking(ground, all, { cwd, env: { AGENCY_SCENARIO: scenario } })
  if (exit !== 0) throw new Error(`${name} was not launched: ${err}`)
}

/** The floor is the promise itself: these are bounds, not ratios. */
const bound = (name: string, value: number, promise: number, unit: string): Row => ({
  name,
  value,
  floor: promise,
  floorName: 'the promise',
  unit,
  limit: 1,
})

const timed = (ground: Ground) => (): number => {
  const from = performance.now()
  const { exit, err } = agency(ground, 'list')
  if (exit !== 0) throw new Error(err)
  return performance.now() - from
}

const listRow = async (one: Ground, many: Ground, { agents, rounds }: AgentsSize): Promise<Row> => {
  const times = await interleaved(rounds, { one: timed(one), many: timed(many) })
  return {
    name: `list with ${agents} agents`,
    value: median(times.many),
    floor: median(times.one),
    floorName: 'list with one agent',
    unit: 'ms',
    limit: 3,
  }
}

/** Percent of one processor, by who spends it. A tick is 10 ms. */
const idleRows = async (ground: Ground, host: number, { agents, seconds }: AgentsSize): Promise<Row[]> => {
  const entries = listed(ground)
  const whose = {
    host: [host],
    keepers: entries.flatMap(({ keeper }) => keeper ?? []),
    children: entries.flatMap(({ pid }) => pid ?? []),
  }
  const sum = (pids: readonly number[]): number => pids.reduce((total, pid) => total + ticks(pid), 0)
  const before = { host: sum(whose.host), keepers: sum(whose.keepers), children: sum(whose.children) }
  await pause(seconds * 1000)
  const spent = (name: keyof typeof whose): number => (sum(whose[name]) - before[name]) / seconds
  const [hosts, keepers, children] = [spent('host'), spent('keepers'), spent('children')]
  return [
    bound(`idle: host and ${agents} keepers`, hosts + keepers, 2, '% CPU'),
    // Not ours to promise: the stand-in looks at its settings and telemetry as the real program does.
    {
      name: '  beside them, the scripted agents',
      value: children,
      floor: 2,
      floorName: 'the promise',
      unit: '% CPU',
    },
  ]
}

/** A keeper before and after its child has printed a lot. */
const floodRows = async (ground: Ground, size: AgentsSize): Promise<Row[]> => {
  const go = join(ground.root, '..', 'work', 'go')
  const words = `while [ ! -e ${go} ]; do sleep 0.1; done; yes 'a line of text' | head -c ${size.megabytes}M; echo; exec sleep 100000`
  await launchIn(ground, 'flood', ['--', 'sh', '-c', words])
  const found = await findKeeper(layout(ground.root).session('flood'))
  if (found === undefined) throw new Error('the flood has no keeper')
  const keeper = await reachKeeper(found)
  const idle = megabytes(found.pid)
  writeFileSync(go, '')
  const printed = async (): Promise<number> => (await keeper.status()).output.terminal?.to ?? 0
  const late = performance.now() + 120_000
  while ((await printed()) < size.megabytes * 1024 * 1024) {
    if (performance.now() > late) throw new Error('the flood does not end')
    await pause(100)
  }
  keeper.close()
  // What a flood needs may stay for a moment; what stays for good is what counts.
  await pause(3_000)
  return [
    bound('keeper of a terminal, idle', idle, 25, 'MB RssAnon'),
    bound(`the same after ${size.megabytes} MB of output`, megabytes(found.pid), 25, 'MB RssAnon'),
  ]
}

export const agentRows = async (one: Ground, many: Ground, size: AgentsSize): Promise<Row[]> => {
  const role = 'name: bench\nagent_type: scripted\ninstructions: Wait.\n'
  for (const ground of [one, many]) writeFileSync(join(ground.root, 'roles/bench.yaml'), role)
  await launchIn(one, 'only', ['--role', 'bench'])
  // A few at a time: all at once would measure how they fight for the processor.
  for (let n = 0; n < size.agents; n += 5)
    await Promise.all(
      Array.from({ length: Math.min(5, size.agents - n) }, (_, at) =>
        launchIn(many, `m${n + at}`, ['--role', 'bench']),
      ),
    )
  const { host } = JSON.parse(agency(many, 'status', '--json').out) as { host: { pid: number } }
  const list = await listRow(one, many, size)
  // What it does after a launch (the collector of garbage) is not idling.
  await pause(10_000)
  const idle = await idleRows(many, host.pid, size)
  const keepers = listed(many).flatMap(({ keeper }) => keeper ?? [])
  const most = Math.max(...keepers.map(megabytes))
  return [
    list,
    bound(`largest of ${size.agents} keepers, idle`, most, 25, 'MB RssAnon'),
    ...(await floodRows(one, size)),
    ...idle,
  ]
}
