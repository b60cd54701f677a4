// A terminal through the keeper and `attach`, against the same through tmux.
import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type IPty, spawn } from '@lydell/node-pty'
import type { Keeper } from '../src/keeper/reach.ts'
import { keeperProgram, startKeeper } from '../src/keeper/start.ts'
import { interleaved, median, type Row } from './frame.ts'

type Seat = {
  /** Types this and resolves with the milliseconds until that is seen. */
  time(keys: string, until: string): Promise<number>
  leave(): void
}

const patience = 120_000
/** Keys until V8 has compiled their way through keeper and attach; tmux came compiled. */
const warming = 2_000
/** One may meet anybody's turn on the processor: of so many for each that is asked the median is steady. */
const repeated = 10
const window = { cols: 80, rows: 24 }

/** Somebody at a terminal who only looks for one text. */
const sit = (command: string, args: string[], env: NodeJS.ProcessEnv): Seat => {
  const pty: IPty = spawn(command, args, { ...window, env: { ...env, TERM: 'xterm-256color' } })
  let tail = ''
  let look = (): void => {}
  pty.onData((text) => {
    tail = (tail + text).slice(-Math.max(text.length, 200))
    look()
  })
  return {
    time: (keys, until) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`${command}: never ${until}`)), patience)
        tail = ''
        const from = performance.now()
        look = () => {
          if (!tail.includes(until)) return
          clearTimeout(timer)
          look = () => {}
          resolve(performance.now() - from)
        }
        if (keys !== '') pty.write(keys)
      }),
    leave: () => pty.kill('SIGTERM'),
  }
}

const never = { deadline: 1000, denials: [] }

const keep = async (root: string, agent: string, script: string, env: NodeJS.ProcessEnv): Promise<Keeper> => {
  const keeper = await startKeeper({
    program: keeperProgram(resolve('dist/keeper.js')),
    opening: {
      agent,
      session: agent,
      directory: join(root, 'sessions', agent),
      terminal: { columns: window.cols, rows: window.rows },
      host: join(root, 'sockets', 'host.sock'),
      hookToken: 'x'.repeat(16),
      telemetryToken: 'y'.repeat(16),
      hooks: { field: 'event', events: {}, otherwise: never },
      launchDeadline: 60_000,
    },
  })
  await keeper.launch({ argv: ['/bin/sh', '-c', script], env: { PATH: env.PATH ?? '' }, cwd: '/' })
  return keeper
}

const flood = (file: string): string =>
  `stty -echo; echo ready; while read -r n; do cat ${file}; echo "end-of-$n."; done`
const echo = 'echo ready; stty raw -echo; exec cat'

const hasTmux = (): boolean => spawnSync('tmux', ['-V']).status === 0

type Pair = { readonly agency: Seat; readonly tmux: Seat | undefined }

const measure = async (
  { agency, tmux }: Pair,
  rounds: number,
  act: (seat: Seat, n: number) => Promise<number>,
  unheeded = 0,
) => {
  let n = 0
  const seats = tmux === undefined ? { agency } : { agency, tmux }
  const turns = Object.fromEntries(Object.entries(seats).map(([name, seat]) => [name, () => act(seat, n++)]))
  const times = await interleaved(unheeded + rounds, turns)
  return {
    value: median((times.agency ?? []).slice(unheeded)),
    floor: times.tmux === undefined ? undefined : median(times.tmux.slice(unheeded)),
  }
}

const row = (
  name: string,
  unit: string,
  value: number,
  floor: number | undefined,
  promise: Partial<Row>,
): Row =>
  floor === undefined
    ? { name, unit, value, floor: value, floorName: 'tmux is not on this machine' }
    : { name, unit, value, floor, floorName: 'tmux', ...promise }

export const terminalRows = async (
  size: { readonly megabytes: number; readonly floods: number; readonly keys: number },
  root: string,
  scratch: string,
  env: NodeJS.ProcessEnv,
): Promise<Row[]> => {
  const file = join(scratch, 'flood')
  const line = `${'The quick brown fox jumps over the lazy dog. '.repeat(2).slice(0, 78)}\n`
  writeFileSync(file, line.repeat(Math.ceil((size.megabytes * 1024 * 1024) / line.length)))
  const server = join(scratch, 'tmux')
  const tmux = (...words: string[]): string[] => ['-S', server, '-f', '/dev/null', ...words]
  const present = hasTmux()
  const undo: (() => unknown)[] = []
  const open = async (name: string, script: string): Promise<Pair> => {
    const keeper = await keep(root, name, script, env)
    undo.push(async () => {
      await keeper.end(0)
      await keeper.release()
    })
    const agency = sit(process.execPath, ['bin/agency', 'attach', name], env)
    undo.push(agency.leave)
    await agency.time('', 'ready')
    if (!present) return { agency, tmux: undefined }
    execFileSync('tmux', tmux('new-session', '-d', '-s', name, '-x', '80', '-y', '24', script), { env })
    const other = sit('tmux', tmux('attach', '-t', name), env)
    undo.push(other.leave)
    await other.time('', 'ready')
    return { agency, tmux: other }
  }
  if (present) undo.push(() => spawnSync('tmux', tmux('kill-server'), { env }))
  try {
    const floods = await measure(await open('bench-flood', flood(file)), size.floods, (seat, n) =>
      seat.time(`${n}\r`, `end-of-${n}.`),
    )
    // Two keys that stand in no bar, in turn: the same one again might need no drawing.
    const press = (seat: Seat, n: number): Promise<number> => {
      const key = n % 4 < 2 ? '~' : '^'
      return seat.time(key, key)
    }
    const seats = await open('bench-echo', echo)
    const keys = await measure(seats, size.keys * repeated, press, warming)
    const rate = (ms: number): number => (size.megabytes * 1000) / ms
    const name = `cat of ${size.megabytes} MB, attached`
    return [
      row(name, 'MB/s', rate(floods.value), floods.floor && rate(floods.floor), {
        limit: 0.5,
        more: 'better',
      }),
      row('a key and its echo, attached', 'ms', keys.value, keys.floor, { limit: 2 }),
    ]
  } finally {
    for (const step of undo.reverse()) await step()
  }
}
