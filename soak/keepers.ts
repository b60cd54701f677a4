// kill -9 of a keeper, again and again: its agent is gone with everything it started, is said to be lost, and goes
// on by `session resume` as the same session; the others notice nothing.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { AgentEntry } from '../src/agent/api.ts'
import { alive, type Identity, identify } from '../src/base/process/identity.ts'
import { type Agent, meetAgent, processesOf, workOf } from './agent.ts'
import { type Cast, launch, takeCast, toldTruly } from './cast.ts'
import { type Chance, chance } from './chance.ts'
import { demand, settled } from './demand.ts'
import { type Follower, follow } from './follow.ts'
import { agency, asking } from './ground.ts'
import { hostOf, killHost, startByCommand } from './host.ts'
import { left } from './orphans.ts'
import { marksOf, promptOf, wander } from './scene.ts'

export type KeepersOptions = {
  readonly seed: number
  readonly rounds: number
  readonly say?: (line: string) => void
}

/** Where its agent is: idle, in a call, waiting for a hook; or nobody is there who could notice. */
const moments = ['idle', 'call', 'hook', 'hostless'] as const

export type KeeperRound = {
  readonly moment: (typeof moments)[number]
  /** Which of the agents. */
  readonly who: number
  /** Milliseconds into the call. */
  readonly after: number
}

const count = 2

export const planKeeperRound = (dice: Chance): KeeperRound => ({
  moment: dice.pick(moments),
  who: dice.below(count),
  after: dice.between(0, 60),
})

const strayOf = (cast: Cast, { name }: Agent): Identity | undefined => {
  const file = join(workOf(cast.ground, name), 'stray')
  return existsSync(file) ? identify(Number(readFileSync(file, 'utf8'))) : undefined
}

const isIdle = (cast: Cast, name: string, turns: number): Promise<void> =>
  settled(async () => {
    const entry = (await cast.list())?.find((each) => each.name === name)
    return entry?.state === 'idle' && entry.turns === turns
      ? undefined
      : `${name} is ${entry?.text} after ${entry?.turns} turns and should be idle after ${turns}`
  })

/** Until the agent is where the round wants it. */
const arrive = async (
  cast: Cast,
  follower: Follower,
  { session, keeper, type }: Agent,
  { moment, after }: KeeperRound,
  turn: number,
): Promise<void> => {
  if (moment === 'idle') return
  if (moment === 'hook') {
    process.kill(hostOf(cast.ground).pid, 'SIGSTOP')
    await type(promptOf(turn))
    return settled(async () => ((await keeper.status()).hooksWaiting > 0 ? undefined : 'no hook is asked'))
  }
  const subject = `session:${session}`
  const called = follower.next((event) => event.type === 'session.called' && event.subject === subject, 1)
  await type(promptOf(turn))
  await called
  await pause(after)
  if (moment === 'hostless') await killHost(cast.ground)
}

/** Its keeper is killed; nothing of it is left, and the host says so. */
const lose = async (cast: Cast, victim: Agent, { moment }: KeeperRound): Promise<void> => {
  const { name, keeper, child } = victim
  const stray = strayOf(cast, victim)
  demand(stray !== undefined, `${name} has lost its stray process before`)
  process.kill(keeper.found.pid, 'SIGKILL')
  await settled(() => {
    const tree = [child, stray, ...processesOf(victim)].filter(alive)
    return tree.length === 0
      ? undefined
      : `${name} outlives its keeper: ${tree.map(({ pid }) => pid).join(', ')}`
  })
  if (moment === 'hook') process.kill(hostOf(cast.ground).pid, 'SIGCONT')
  if (moment === 'hostless') await startByCommand(cast.ground)
  await settled(async () => {
    const entry = (await cast.list())?.find((each) => each.name === name)
    return entry?.state === 'lost' ? undefined : `${name} is said to be ${entry?.text}, and is lost`
  })
}

const resume = async (cast: Cast, { name, session }: Agent): Promise<Agent> => {
  const { exit, out, err } = await asking(cast.ground, ['session', 'resume', name, '--detach', '--json'], {
    cwd: workOf(cast.ground, name),
    env: { AGENCY_SCENARIO: cast.scenario },
  })
  demand(exit === 0, `${name} was not resumed: ${err.trim()}`)
  const again = await meetAgent(cast.ground, (JSON.parse(out) as { agent: AgentEntry }).agent)
  demand(again.session === session, `${name} was resumed as another session`)
  return again
}

/** It works as before: a whole turn, each call once. */
const works = async (cast: Cast, agent: Agent, turn: number, turns: number): Promise<void> => {
  await agent.type(promptOf(turn))
  await isIdle(cast, agent.name, turns)
  const must = marksOf([turn])
  for (const mark of must) {
    const times = agent.ran(mark).length
    demand(times === 1, `${agent.name}: the call ${mark} ran ${times} times`)
  }
  const marks = agent.marks()
  demand(new Set(marks).size === marks.length, `${agent.name}: a call ran twice`)
}

const stroll = async (cast: Cast, agent: Agent, turns: number): Promise<void> => {
  await agent.type(wander)
  await isIdle(cast, agent.name, turns)
}

export const keepers = async ({ seed, rounds, say = () => {} }: KeepersOptions): Promise<void> => {
  const dice = chance(seed)
  const cast = await takeCast(2 * rounds)
  const { ground } = cast
  let follower: Follower | undefined
  try {
    await startByCommand(ground)
    const agents: Agent[] = []
    const turns: number[] = []
    for (let n = 0; n < count; n += 1) {
      const agent = await launch(cast, `k${n + 1}`)
      await stroll(cast, agent, 1)
      agents.push(agent)
      turns.push(1)
    }
    follower = await follow(ground.root)
    for (let round = 1; round <= rounds; round += 1) {
      const plan = planKeeperRound(dice)
      const { who, moment } = plan
      const victim = agents[who] as Agent
      const done = turns[who] as number
      try {
        await arrive(cast, follower, victim, plan, 2 * round - 1)
        await lose(cast, victim, plan)
        const again = await resume(cast, victim)
        await works(cast, again, 2 * round, done + 1)
        await stroll(cast, again, done + 2)
        agents[who] = again
        turns[who] = done + 2
        for (const [at, agent] of agents.entries()) await toldTruly(cast, [agent], turns[at] ?? 0)
        say(`round ${round}: the keeper of ${victim.name} killed (${moment}), lost and resumed`)
      } catch (error) {
        throw new Error(`seed ${seed}, round ${round} (${moment}): ${(error as Error).message}`)
      }
    }
    const { exit, err } = await asking(ground, ['shutdown', '--all'])
    demand(exit === 0, `the agents did not end: ${err.trim()}`)
    demand(left(ground).length === 0, `processes are left: ${left(ground).join(', ')}`)
  } finally {
    await follower?.close()
    agency(ground, 'kill', '--all')
    ground.remove()
  }
}
