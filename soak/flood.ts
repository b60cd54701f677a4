// Malformed requests by the thousand, twenty at a time, at both doors of an agent: the host lives, answers each in words
// or closes, makes nothing of them, and holds afterwards what it held before.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { layout } from '../src/config/layout/rules.ts'
import { bytesOf, type Door, get, json, raw, read, type Sent } from '../test/http/wire.ts'
import { type Chance, chance } from './chance.ts'
import { demand, settled } from './demand.ts'
import { tellToCollect } from './garbage.ts'
import { agency, takeGround } from './ground.ts'

export type FloodOptions = {
  readonly seed: number
  readonly count: number
  /** A careless one is for the test of this loop. */
  readonly host?: readonly string[]
}
export type Flooded = {
  readonly requests: number
  readonly statuses: Readonly<Record<string, number>>
  readonly fds: readonly [before: number, after: number]
  readonly megabytes: readonly [before: number, after: number]
  readonly seconds: number
}

const atOnce = 20
/** How often is looked whether all was let go, and for how long. */
const within = [100, 20_000] as const
/** Megabytes that the system has not got back yet; four kilobytes lost with each of ten thousand are more. */
const margin = 32

const letters = 'aZ09 \u0000\u001b[/\\.%"\'{}<>é🤖\ud800'
const noise = (dice: Chance, most: number): string =>
  Array.from({ length: dice.below(most) }, () => dice.pick([...letters])).join('')
const bytes = (dice: Chance, most: number): Buffer =>
  Buffer.from(Array.from({ length: dice.below(most) }, () => dice.below(256)))

const value = (dice: Chance): unknown =>
  dice.pick([
    null,
    true,
    -1,
    0.5,
    1e300,
    '',
    ' ',
    noise(dice, 30),
    [],
    {},
    [[[]]],
    { a: { b: noise(dice, 9) } },
  ])

const fields = [
  'model',
  'timeout_seconds',
  'session_id',
  'project',
  'env',
  'credentials',
  'keep_open',
] as const
const paths = [
  '/task',
  '/task/task-x',
  '/task/task-x/cancel',
  '/history',
  '/config',
  '/shutdown',
  '/tasks',
  '/status',
]

const task = (body: string | Buffer): Sent => ({ method: 'POST', path: '/task', heads: json, body })

/** Each is a kind of mistake; none of them is a task. */
const families: readonly ((dice: Chance, door: Door) => Buffer)[] = [
  (dice, door) => bytesOf(door, task(bytes(dice, 400))),
  (dice, door) => bytesOf(door, task(`{"prompt":"x","${dice.pick(fields)}":`.slice(0, dice.between(1, 40)))),
  (dice, door) => bytesOf(door, task(JSON.stringify({ prompt: 'x', [dice.pick(fields)]: [value(dice), 0] }))),
  (dice, door) => bytesOf(door, task(JSON.stringify({ prompt: 'x', [`x${noise(dice, 9)}`]: value(dice) }))),
  (dice, door) => bytesOf(door, task('['.repeat(dice.below(20_000)))),
  (dice, door) =>
    bytesOf(door, { path: `/${encodeURI('task')}/${encodeURIComponent(`../${dice.below(1e9)}`)}` }),
  (dice, door) =>
    bytesOf(door, { path: `/history?${dice.pick(['limit', 'page', 'before', 'x'])}=-${dice.below(99)}` }),
  (dice, door) =>
    bytesOf(door, {
      method: dice.pick(['DELETE', 'PATCH', 'TRACE', 'LOCK', 'OPTIONS']),
      path: dice.pick(paths),
    }),
  (dice, door) =>
    bytesOf(door, { path: dice.pick(paths), heads: [['authorization', `Bearer ${dice.below(1e9)}`]] }),
  (dice, door) => bytesOf(door, { path: dice.pick(paths), heads: [['host', `h${dice.below(1e9)}.example`]] }),
  (dice, door) => bytesOf(door, { path: dice.pick(paths), heads: [['origin', 'null']] }),
  (dice, door) =>
    bytesOf(door, { path: '/status', heads: [['x', 'a'.repeat(dice.between(17_000, 40_000))]] }),
  (dice, door) =>
    bytesOf(door, {
      ...task('{}'),
      heads: [...json, ['transfer-encoding', dice.pick(['chunked', 'x', 'gzip'])]],
    }),
  (_, door) => bytesOf(door, task(`{"prompt":"${'a'.repeat(2_200_000)}"}`)),
  (dice) => bytes(dice, 3000),
  (dice) => Buffer.from(`${noise(dice, 40)}\r\n\r\n`),
]

/** Hangs up in the middle of it. */
const abandon = (port: number, what: Buffer, after: number): Promise<void> =>
  new Promise((resolve) => {
    const line = connect({ port, host: '127.0.0.1' }, () => {
      line.write(what.subarray(0, after), () => line.destroy())
    })
    // Refused while it was being written: it is gone either way.
    line.on('error', () => {})
    line.on('close', () => resolve())
  })

const pour = async (doors: readonly Door[], dice: Chance, count: number, seen: Record<string, number>) => {
  let left = count
  const one = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      const door = dice.pick(doors)
      // The huge ones are the dearest: fewer of them.
      const family = dice.pick(dice.below(20) === 0 ? families : families.filter((_, at) => at !== 13))
      const what = family(dice, door)
      const cut = dice.below(8) === 0
      // What is no whole request is waited for until it is too late; so it ends where the line does.
      const [answer, key] = cut
        ? [await abandon(door.port, what, dice.below(what.length + 1)), 'abandoned']
        : [await raw(door.port, what, 2_000).catch(() => ''), '']
      const { status, text } = read(answer ?? '')
      const name = key || (status === 0 ? 'closed' : String(status))
      seen[name] = (seen[name] ?? 0) + 1
      demand(
        status < 500 && status !== 201 && status !== 202,
        `answered with ${status}: ${text.slice(0, 300)}`,
      )
      demand(!/\bat .*:\d+:\d+/.test(text), `a stack was shown: ${text.slice(0, 300)}`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, one))
}

const fdsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length
const megabytesOf = (pid: number): number =>
  Math.round(Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024)

export const flood = async ({ seed, count, host = ['build/host.js'] }: FloodOptions): Promise<Flooded> => {
  const dice = chance(seed)
  const ground = takeGround(['a'])
  const files = layout(ground.root)
  writeFileSync(join(ground.root, 'roles/s.yaml'), 'name: s\nagent_type: scripted\ninstructions: Work.\n')
  writeFileSync(files.agentConfig('a'), 'role: s\nport: 0\nsandbox: { enabled: false }\n')
  const child = spawn(process.execPath, [host[0] ?? '', ground.root, ...host.slice(1)], {
    env: ground.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const pid = child.pid ?? 0
  try {
    const [line] = await once(createInterface({ input: child.stdout }), 'line')
    const token = readFileSync(files.token, 'utf8').trim()
    const mounted: Door = { port: Number(line), prefix: '/agents/a', token }
    const status = async () => (await get(mounted, '/status')).body
    await settled(async () => ((await status())?.state === 'idle' ? undefined : 'the agent is not idle'))
    const { components } = (await get({ ...mounted, prefix: '' }, '/components')).body
    const doors = [mounted, { port: components[0].port as number, prefix: '', token }]
    // Whatever is made once is made now.
    await pour(doors, dice, Math.max(300, Math.ceil(count / 4)), {})
    tellToCollect(pid)
    await status()
    const before = { fds: fdsOf(pid), megabytes: megabytesOf(pid) }
    const statuses: Record<string, number> = {}
    const from = performance.now()
    await pour(doors, dice, count, statuses)
    const seconds = Math.round((performance.now() - from) / 1000)
    demand(child.exitCode === null && child.signalCode === null, 'the host has ended')
    // Lines that were cut are closed a moment later; memory that nobody holds is given back later too.
    await settled(
      () => {
        tellToCollect(pid)
        const [fds, megabytes] = [fdsOf(pid), megabytesOf(pid)]
        if (fds > before.fds) return `${fds} file descriptors are open, ${before.fds} were before`
        if (megabytes <= before.megabytes + margin) return undefined
        return `${megabytes} MB are held, ${before.megabytes} MB were before`
      },
      ...within,
    )
    const { state } = await status()
    demand(state === 'idle', `the agent is ${state}`)
    const { total } = (await get(mounted, '/history')).body
    demand(total === 0, `${total} tasks were made`)
    return {
      requests: count,
      statuses,
      fds: [before.fds, fdsOf(pid)],
      megabytes: [before.megabytes, megabytesOf(pid)],
      seconds,
    }
  } finally {
    child.kill('SIGKILL')
    agency(ground, 'kill', '--all')
    ground.remove()
  }
}
