// kill -9 of the host, again and again, while five agents at their terminals are in the middle of calls. Every
// round ends with the same checks: the same processes; each call ran once, was refused by nobody and was in the
// journal before it ran; the terminals show everything; what /events delivered is there; the list tells the truth.
import { spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { alive, type Identity, identify } from '../src/base/process/identity.ts'
import { layout } from '../src/config/layout/rules.ts'
import type { Event } from '../src/journal/schema.ts'
import { findKeeper, findKeepers } from '../src/keeper/find.ts'
import { isOver } from '../src/registry/rules.ts'
import { type Agent, processesOf, runAgent } from './agent.ts'
import { type Cast, journalAfter, launch, takeCast, toldTruly, worked } from './cast.ts'
import { type Chance, chance } from './chance.ts'
import { demand, settled } from './demand.ts'
import { type Follower, follow } from './follow.ts'
import { agency, asking } from './ground.ts'
import { type HostProgram, hostOf, killHost, startAndKill, startByCommand, startHost } from './host.ts'
import { left } from './orphans.ts'
import { marksOf, promptOf } from './scene.ts'

export type Survived = {
  readonly rounds: number
  readonly killed: number
  readonly turns: number
  readonly calls: number
  /** Those that decide: before a prompt, before and after a call, at the end of a turn. */
  readonly hooks: number
  readonly events: number
  readonly launches: number
}
export type AgentsOptions = {
  readonly seed: number
  readonly rounds: number
  readonly agents?: number
  /** The host after each kill; a careless one is for the test of this loop. */
  readonly host?: HostProgram
  readonly say?: (line: string) => void
}

/** When the host is killed: at a hook of an agent, or while one more is launched. */
const moments = ['UserPromptSubmit', 'PreToolUse', 'PreToolUse', 'PostToolUse', 'Stop', 'launch'] as const
type Moment = (typeof moments)[number]

export type Round = {
  readonly moment: Moment
  /** At which hook of this kind. */
  readonly nth: number
  /** Milliseconds from there. */
  readonly after: number
  /** Stopped first, so that hooks reach it and are never answered. */
  readonly deaf: boolean
  /** Lives of the hosts that follow and are killed while they recover, in milliseconds. */
  readonly again: readonly number[]
  readonly startedBy: 'loop' | 'command'
}

export const planRound = (dice: Chance): Round => {
  const moment = dice.pick(moments)
  const once = moment === 'UserPromptSubmit' || moment === 'Stop'
  const nth = dice.between(1, once ? 5 : 12)
  const deaf = dice.below(3) === 0
  const again = Array.from({ length: Math.max(0, dice.between(-2, 2)) }, () => dice.between(50, 900))
  const startedBy = dice.pick(['loop', 'command'] as const)
  // The command that launches may itself start the next host: another one would lose against it.
  if (moment === 'launch')
    return { moment, nth, after: dice.between(0, 1500), deaf: false, again: [], startedBy: 'command' }
  return { moment, nth, after: dice.between(0, 40), deaf, again, startedBy }
}

const became = (event: Event, name: string): boolean =>
  event.type === 'session.changed' && (event.data.state as { name?: string }).name === name

/** The trace that each hook leaves in the journal. */
const fits: Readonly<Record<Exclude<Moment, 'launch'>, (event: Event) => boolean>> = {
  UserPromptSubmit: (event) => became(event, 'working'),
  PreToolUse: ({ type }) => type === 'session.called',
  PostToolUse: ({ type }) => type === 'session.returned',
  Stop: (event) => became(event, 'idle'),
}

const hooksWaiting = async (agents: readonly Agent[]): Promise<number> => {
  const all = await Promise.all(agents.map(({ keeper }) => keeper.status()))
  return all.reduce((sum, status) => sum + status.hooksWaiting, 0)
}

/** Deaf until a hook waits; not longer, because the turn may have been over. */
const deafness = 2_000
const stopUntilAsked = async (host: Identity, agents: readonly Agent[]): Promise<void> => {
  process.kill(host.pid, 'SIGSTOP')
  const late = performance.now() + deafness
  while ((await hooksWaiting(agents)) === 0 && performance.now() < late) await pause(10)
}

type Stage = {
  readonly cast: Cast
  readonly agents: readonly Agent[]
  readonly follower: Follower
  readonly program: HostProgram
}

/** The agents get their prompts; when the moment has come, the host is killed. */
const strike = async ({ cast, agents, follower }: Stage, turn: number, round: Round): Promise<void> => {
  const { moment, nth, after, deaf } = round
  const host = hostOf(cast.ground)
  const prompt = () => Promise.all(agents.map((agent) => agent.type(promptOf(turn))))
  if (moment === 'launch') {
    await prompt()
    await pause(after)
  } else if (deaf && moment === 'UserPromptSubmit') {
    process.kill(host.pid, 'SIGSTOP')
    await prompt()
    await stopUntilAsked(host, agents)
  } else {
    // Fewer agents than planned for reach it less often.
    const most = moment === 'UserPromptSubmit' || moment === 'Stop' ? agents.length : agents.length * 3
    const come = follower.next(fits[moment], Math.min(nth, most))
    await prompt()
    await come
    await (deaf ? stopUntilAsked(host, agents) : pause(after))
  }
  await killHost(cast.ground)
}

const start = async ({ cast, program }: Stage, { again, startedBy }: Round): Promise<void> => {
  for (const life of again) await startAndKill(cast.ground, program, life)
  if (startedBy === 'command') await startByCommand(cast.ground)
  else await startHost(cast.ground, program)
}

/** What happened before the first round is no moment of it. */
const caughtUp = async ({ ground }: Cast, follower: Follower): Promise<number> => {
  const last = (await journalAfter(ground, 0)).at(-1)?.seq ?? 0
  await settled(() => ((follower.delivered().at(-1)?.seq ?? 0) < last ? 'nothing is delivered' : undefined))
  return last
}

/** What was delivered is there, the same, in the same place. */
const keptAll = (delivered: readonly Event[], kept: readonly Event[]): void => {
  const found = new Map(kept.map((event) => [event.seq, JSON.stringify(event)]))
  for (const event of delivered)
    demand(found.get(event.seq) === JSON.stringify(event), `event ${event.seq} was delivered and is lost`)
}

/** Each call of this turn was in the journal before it ran. */
const askedBefore = ({ name, session, calls, ran }: Agent, turn: number, events: readonly Event[]): void => {
  const marks = new Set(marksOf([turn]))
  for (const { id, mark } of calls().filter((one) => marks.has(one.mark))) {
    const asked = events.find(
      ({ type, subject, data }) =>
        type === 'session.called' && subject === `session:${session}` && data.call === id,
    )
    demand(asked !== undefined, `${name}: the journal knows nothing of the call ${mark}`)
    const times = ran(mark)
    demand(times.length === 1, `${name}: the call ${mark} ran ${times.length} times`)
    demand(Date.parse(asked.at) <= (times[0] ?? 0), `${name}: the call ${mark} ran before the journal had it`)
  }
}

/** The agent whose launch was cut short is up and listed, or gone; then it is ended. */
const settleLaunch = async ({ cast }: Stage, name: string, exit: number | null): Promise<void> => {
  const { ground, list } = cast
  const directory = layout(ground.root).session(name)
  const entry = async () => (await list())?.find((each) => each.name === name)
  await settled(async () => {
    const [listed, found] = [await entry(), await findKeeper(directory)]
    const up = listed !== undefined && !isOver(listed.state)
    if (exit === 0 && !up) return `${name} was said to be up and is not`
    if (listed?.state === 'starting') return `${name} starts and starts`
    return up === (found !== undefined) ? undefined : `${name} has a keeper that the list does not know`
  })
  const found = await findKeeper(directory)
  if (found === undefined) return
  const { exit: stopped, err } = await asking(ground, ['stop', name])
  demand(stopped === 0, `${name} was not stopped: ${err.trim()}`)
}

const check = async ({ cast, agents, follower }: Stage, turn: number, seq: number): Promise<number> => {
  const turns = Array.from({ length: turn }, (_, at) => at + 1)
  for (const agent of agents) {
    await worked(agent, turns)
    const trouble = agent.trouble()
    demand(trouble === undefined, trouble ?? '')
  }
  await toldTruly(cast, agents, turn)
  const delivered = follower.delivered().filter((event) => event.seq > seq)
  const events = await journalAfter(cast.ground, seq)
  keptAll(delivered, events)
  for (const agent of agents) askedBefore(agent, turn, events)
  return events.at(-1)?.seq ?? seq
}

/** Everything is ended as a person ends it; nothing of it is left. */
const close = async ({ cast, agents }: Stage): Promise<void> => {
  const { ground } = cast
  const { exit, err } = await asking(ground, ['shutdown', '--all'])
  demand(exit === 0, `the agents did not end: ${err.trim()}`)
  for (const agent of agents) {
    demand(processesOf(agent).length === 0, `processes of ${agent.name} are left`)
    demand(!alive(agent.keeper.found), `the keeper of ${agent.name} is left`)
  }
  demand((await findKeepers(ground.root)).length === 0, 'a keeper is left')
  demand(left(ground).length === 0, `processes are left: ${left(ground).join(', ')}`)
}

export const agents = async (options: AgentsOptions): Promise<Survived> => {
  const { seed, rounds, agents: count = 5, host: program = ['build/host.js'], say = () => {} } = options
  const dice = chance(seed)
  const cast = await takeCast(rounds)
  const stranger = spawn('sleep', ['100000'], { stdio: 'ignore' })
  const known = identify(stranger.pid ?? 0) as Identity
  let [killed, launches, seq] = [0, 0, 0]
  let follower: Follower | undefined
  try {
    await startHost(cast.ground, ['build/host.js'])
    const five: Agent[] = []
    for (let n = 1; n <= count; n += 1) five.push(await launch(cast, `a${n}`))
    follower = await follow(cast.ground.root)
    seq = await caughtUp(cast, follower)
    const stage: Stage = { cast, agents: five, follower, program }
    for (let turn = 1; turn <= rounds; turn += 1) {
      const planned = planRound(dice)
      const own = options.host !== undefined && planned.moment !== 'launch'
      const round = own ? { ...planned, startedBy: 'loop' as const } : planned
      const { moment, deaf, again } = round
      try {
        const sixth = `x${turn}`
        const launching = moment === 'launch' ? runAgent(cast.ground, sixth, cast.scenario) : undefined
        await strike(stage, turn, round)
        const waiting = await hooksWaiting(five)
        const before = follower.delivered().filter((event) => event.seq > seq)
        await start(stage, round)
        keptAll(before, await journalAfter(cast.ground, seq))
        killed += 1 + again.length
        seq = await check(stage, turn, seq)
        if (launching !== undefined) await settleLaunch(stage, sixth, (await launching).exit)
        if (launching !== undefined) launches += 1
        demand(alive(known), 'a foreign process was ended')
        const more = again.length === 0 ? '' : `, ${again.length} more while they recovered`
        say(`round ${turn}: killed at ${moment}${deaf ? ', deaf' : ''}, ${waiting} hooks waited${more}`)
      } catch (error) {
        throw new Error(`seed ${seed}, round ${turn} (${moment}): ${(error as Error).message}`)
      }
    }
    await follower.close()
    const calls = five.reduce((sum, agent) => sum + agent.calls().length, 0)
    await close(stage)
    const turns = rounds * count
    return { rounds, killed, turns, calls, hooks: 2 * (turns + calls), events: seq, launches }
  } finally {
    await follower?.close()
    stranger.kill('SIGKILL')
    agency(cast.ground, 'kill', '--all')
    cast.ground.remove()
  }
}
