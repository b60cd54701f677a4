// How long a command line is read before it is decided: what people write, and what is written so as not to be read.
// Processor time: what others do on the machine is not ours.
import { spawnSync } from 'node:child_process'
import { matchPattern } from '../src/permission/match/rules.ts'
import { hostile, ordinary } from '../test/kit/lines.ts'
import { median, type Row } from './frame.ts'

const pattern = 'Bash:gh issue close*'
/** Milliseconds that are promised: ten thousand characters of a script, and anything at all. */
const promised = { ordinary: 10, hostile: 100 }

type Took = { readonly name: string; readonly ms: number }

const worst = (all: readonly Took[]): Took =>
  all.reduce((one, other) => (other.ms > one.ms ? other : one), { name: 'none', ms: 0 })

const spent = (from: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(from)
  return (user + system) / 1000
}

/** Compiled by then, as in a host that has decided before. */
const warm = (lines: Readonly<Record<string, string>>, rounds: number): Took =>
  worst(
    Object.entries(lines).map(([name, command]) => {
      const times = Array.from({ length: rounds }, () => {
        const from = process.cpuUsage()
        matchPattern(pattern, { tool: 'Bash', input: { command } })
        return spent(from)
      })
      return { name, ms: median(times) }
    }),
  )

/** Said by the process itself, of all its threads. */
const telling = `process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  process._rawDebug('cpu ' + (user + system))
})`

const inProcess = (env: NodeJS.ProcessEnv, command: string): number => {
  const { stderr } = spawnSync(
    process.execPath,
    [
      `--import=data:text/javascript,${encodeURIComponent(telling)}`,
      'bin/agency',
      'permission',
      'match',
      '--pattern',
      pattern,
    ],
    { env, encoding: 'utf8', input: `${JSON.stringify({ id: 1, tool: 'Bash', input: { command } })}\n` },
  )
  const found = /^cpu (\d+)$/m.exec(stderr)
  if (found === null) throw new Error(stderr)
  return Number(found[1]) / 1000
}

/** The first line of a fresh process, over one that is nothing. */
const cold = (lines: Readonly<Record<string, string>>, env: NodeJS.ProcessEnv, rounds: number): Took => {
  const run = (command: string): number =>
    median(Array.from({ length: rounds }, () => inProcess(env, command)))
  const nothing = run('true')
  return worst(
    Object.entries(lines).map(([name, command]) => ({ name, ms: Math.max(0, run(command) - nothing) })),
  )
}

export const shellRows = (rounds: number, env: NodeJS.ProcessEnv): Row[] => {
  const row = (what: string, { name, ms }: Took, floor: number, limit?: 1): Row => ({
    name: `${what} (${name.length > 20 ? `${name.slice(0, 20)}…` : name})`,
    value: ms,
    floor,
    floorName: 'the promise',
    unit: 'ms CPU',
    ...(limit && { limit }),
  })
  const sizes = [10_000, 130_000, 1_000_000]
  const most = sizes.map((size) => warm(hostile(size), rounds))
  return [
    row('10 KB of a script', warm(ordinary(10_000), rounds), promised.ordinary, 1),
    row('hostile, up to 1 MB', worst(most), promised.hostile, 1),
    row('10 KB, first of a process', cold(ordinary(10_000), env, 3), promised.ordinary),
    row('hostile, first of a process', cold(hostile(10_000), env, 1), promised.hostile, 1),
    ...(rounds > 7 ? [row('the same, 130 KB', cold(hostile(130_000), env, 1), promised.hostile, 1)] : []),
  ]
}
