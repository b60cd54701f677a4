// kill -9 of a host under load, again and again. Every round ends with the same five checks: the state parses and
// is what the journal folds to; no foreign process was touched; no orphan is left; no gate stood open; what was
// acknowledged is there, once.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { AgencyError } from '../src/base/error/fail.ts'
import { alive, type Identity, identify } from '../src/base/process/identity.ts'
import { open, settle } from '../src/client/call.ts'
import { layout } from '../src/config/layout/rules.ts'
import { reduceOf, stateOf } from '../src/state/rules.ts'
import { state } from '../src/state/schema.ts'
import { openStore } from '../src/store/sqlite.ts'
import { verify } from '../src/store/verify.ts'
import { type Chance, chance } from './chance.ts'
import { agency, type Ground, takeGround } from './ground.ts'

export type Crashes = { readonly rounds: number; readonly killed: number; readonly acknowledged: number }
export type CrashOptions = {
  readonly seed: number
  readonly rounds: number
  /** The host to kill; a lying one is for the test of this loop. */
  readonly host?: readonly string[]
  readonly say?: (line: string) => void
}

/** When in its life the host is killed. */
const moments = ['starting', 'working', 'working', 'working', 'draining'] as const
type Round = {
  readonly moment: (typeof moments)[number]
  /** Acknowledged writes (milliseconds, while starting): a count is the same on a busy machine. */
  readonly after: number
  readonly writers: number
}

export const plan = (dice: Chance): Round => ({
  moment: dice.pick(moments),
  after: dice.between(60, 600),
  writers: dice.between(2, 8),
})

const demand: (holds: boolean, sentence: string) => asserts holds = (holds, sentence) => {
  if (!holds) throw new Error(sentence)
}

type Writing = {
  readonly child: ChildProcess
  readonly port: number
  readonly token: string
  readonly kept: Set<string>
}

const begin = (
  ground: Ground,
  program: readonly string[],
): { child: ChildProcess; port: Promise<number> } => {
  const [script = '', ...more] = program
  const child = spawn(process.execPath, [script, ground.root, ...more], {
    env: ground.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const port = once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line').then(
    ([line]) => Number(line),
  )
  return { child, port }
}

/** Writes until the host is gone; keeps what was acknowledged. */
const write = async (to: Writing, who: string, from: number): Promise<void> => {
  const { child, port, token, kept } = to
  for (let n = from; child.exitCode === null && child.signalCode === null; n += 1) {
    try {
      await settle(await open({ port, token }, { method: 'POST', path: '/agents/a/write', body: { who, n } }))
      kept.add(`${who} ${n}`)
    } catch (error) {
      // Refused in words: not kept, so it may be asked again. No answer promises nothing, and is not asked again.
      if (!(error instanceof AgencyError && error.status === 503)) return
      n -= 1
      await pause(5)
    }
  }
}

const gateIsShut = async (port: number): Promise<void> => {
  for (const token of [undefined, 'x'.repeat(43)]) {
    const client = { port, ...(token && { token }) }
    const { statusCode } = await open(client, {
      method: 'POST',
      path: '/agents/a/write',
      body: { who: 'x', n: 0 },
    })
    demand(statusCode === 401, `a writer without the token was answered ${statusCode}`)
  }
}

const check = async (ground: Ground, kept: ReadonlySet<string>): Promise<void> => {
  const store = await openStore({ file: layout(ground.root).store, reduce: reduceOf, now: () => new Date() })
  try {
    const different = await verify(store, reduceOf)
    demand(different.length === 0, `the journal folds to something else for ${different.join(', ')}`)
    state.parse(stateOf((await store.list()).kept))
    const found = new Map<string, number>()
    for (let after = 0; ; ) {
      const events = await store.events({ after, limit: 1000 })
      for (const { type, subject, data } of events) {
        if (type !== 'soak.written') continue
        const key = `${subject.slice('soak:'.length)} ${data.n}`
        found.set(key, (found.get(key) ?? 0) + 1)
      }
      const last = events.at(-1)
      if (!last) break
      after = last.seq
    }
    const lost = [...kept].filter((key) => !found.has(key)).sort()
    const doubled = [...found].filter(([, times]) => times > 1).map(([key]) => key)
    demand(lost.length === 0, `acknowledged and lost: ${lost[0]}`)
    demand(doubled.length === 0, `there twice: ${doubled.sort()[0]}`)
  } finally {
    await store.close()
  }
}

const childrenOf = (pid: number): string[] => {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  } catch {
    return [] // Gone already, or a system without /proc.
  }
}

export const crash = async ({
  seed,
  rounds,
  host = ['build/loaded.js'],
  say = () => {},
}: CrashOptions): Promise<Crashes> => {
  const dice = chance(seed)
  const ground = takeGround(['a', 'b'])
  const kept = new Set<string>()
  const stranger = spawn('sleep', ['100000'], { stdio: 'ignore' })
  const known = identify(stranger.pid ?? 0) as Identity
  let killed = 0
  let live: ChildProcess | undefined
  try {
    const token = readFileSync(layout(ground.root).token, 'utf8').trim()
    for (let round = 1; round <= rounds; round += 1) {
      const { moment, after, writers } = plan(dice)
      const { child, port } = begin(ground, host)
      const reached = async (count: number): Promise<void> => {
        while (kept.size < count) {
          demand(child.exitCode === null, `the host ended by itself with exit code ${child.exitCode}`)
          await pause(1)
        }
      }
      live = child
      const gone = once(child, 'exit')
      try {
        const writing: Promise<void>[] = []
        const before = kept.size
        if (moment === 'starting') {
          await Promise.race([port, pause(after)])
        } else {
          const at = await port
          await gateIsShut(at)
          for (let who = 0; who < writers; who += 1)
            writing.push(write({ child, port: at, token, kept }, `w${who}`, round * 100_000))
          await reached(before + after)
          if (moment === 'draining') child.kill('SIGTERM')
        }
        const children = childrenOf(child.pid ?? 0)
        child.kill('SIGKILL')
        await gone
        killed += 1
        await Promise.all(writing)
        for (const pid of children) demand(!identify(Number(pid)), `the host left process ${pid} behind`)
        demand(alive(known), 'a foreign process was ended')
        await check(ground, kept)
      } catch (error) {
        throw new Error(`seed ${seed}, round ${round} (${moment}): ${(error as Error).message}`)
      }
      say(`round ${round}: killed while ${moment}, ${kept.size} writes acknowledged so far`)
    }
    // The words: after the last crash a person asks, and is told the truth.
    demand(JSON.parse(agency(ground, 'status', '--json').out).up === false, 'a killed host is said to be up')
    demand(agency(ground, 'up', '--detach').exit === 0, 'no host starts after the crashes')
    demand(JSON.parse(agency(ground, 'status', '--json').out).up === true, 'the new host is said to be down')
    demand(agency(ground, 'shutdown', '--all').exit === 0, 'the last host did not shut down')
    return { rounds, killed, acknowledged: kept.size }
  } finally {
    live?.kill('SIGKILL')
    stranger.kill('SIGKILL')
    agency(ground, 'kill', '--all')
    ground.remove()
  }
}
