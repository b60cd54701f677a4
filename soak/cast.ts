// Agents in a root of their own, launched as a person launches them; and what must hold of them between rounds.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentEntry, agents as api } from '../src/agent/api.ts'
import { hostSocket } from '../src/client/address.ts'
import { call } from '../src/client/call.ts'
import { route } from '../src/client/route.ts'
import { layout } from '../src/config/layout/rules.ts'
import type { Event } from '../src/journal/schema.ts'
import { reduceOf, stateOf } from '../src/state/rules.ts'
import { state } from '../src/state/schema.ts'
import { openStore } from '../src/store/sqlite.ts'
import { verify } from '../src/store/verify.ts'
import { type Agent, meetAgent, runAgent } from './agent.ts'
import { demand, settled } from './demand.ts'
import { type Ground, takeGround } from './ground.ts'
import { linesOf, marksOf, scenarioOf, shownOf } from './scene.ts'

export type Cast = {
  readonly ground: Ground
  readonly scenario: string
  /** What the host lists; undefined while it does not answer. */
  list(): Promise<readonly AgentEntry[] | undefined>
}

const role = 'name: busy\nagent_type: scripted\ninstructions: Work.\npermissions:\n  allow: [Bash, Write]\n'

export const takeCast = async (turns: number): Promise<Cast> => {
  const ground = takeGround()
  const scenario = join(ground.root, '..', 'scenario.json')
  writeFileSync(scenario, JSON.stringify(scenarioOf(turns)))
  writeFileSync(join(ground.root, 'roles/busy.yaml'), role)
  const { path: socket } = await hostSocket(ground.root)
  return {
    ground,
    scenario,
    list: () =>
      call({ socket }, route<typeof api.list>('GET', '/agents'), {}).then(
        ({ agents }) => agents,
        // Not up yet; whoever waits for it asks again.
        () => undefined,
      ),
  }
}

export const launch = async ({ ground, scenario }: Cast, name: string): Promise<Agent> => {
  const { exit, out, err } = await runAgent(ground, name, scenario)
  demand(exit === 0, `${name} was not launched: ${err.trim()}`)
  return meetAgent(ground, (JSON.parse(out) as { agent: AgentEntry }).agent)
}

const firstDifference = (is: readonly string[], must: readonly string[]): string => {
  const at = must.findIndex((each, index) => is[index] !== each)
  return at === -1 ? `${is[must.length]} came too much` : `${is[at] ?? 'nothing'} instead of ${must[at]}`
}

const equal = (is: readonly string[], must: readonly string[]): boolean =>
  is.length === must.length && must.every((each, at) => is[at] === each)

/** The agent has done these turns, each call once, in order; none was refused. Asks nobody but the agent. */
export const worked = (agent: Agent, turns: readonly number[]): Promise<void> =>
  settled(() => {
    const { name } = agent
    const must = marksOf(turns)
    const marks = agent.calls().map(({ mark }) => mark)
    if (!equal(marks, must)) return `${name}: calls: ${firstDifference(marks, must)}`
    const [left, lines] = [agent.marks(), linesOf(turns)]
    if (!equal(left, lines)) return `${name}: calls that ran: ${firstDifference(left, lines)}`
    const shown = agent.shown()
    const whole = equal(shown, shownOf(turns))
    return whole ? undefined : `${name}: on the terminal: ${firstDifference(shown, shownOf(turns))}`
  })

/** The host says of each agent what is so: it is idle after this many turns. */
export const toldTruly = ({ list }: Cast, agents: readonly Agent[], turns: number): Promise<void> =>
  settled(async () => {
    const listed = await list()
    if (listed === undefined) return 'the host does not answer'
    for (const { name, session, keeper, child } of agents) {
      const entry = listed.find((each) => each.name === name)
      if (entry === undefined) return `${name} is not listed`
      const is = { pid: entry.pid, keeper: entry.keeper, session: entry.session, state: entry.state }
      const must = { pid: child.pid, keeper: keeper.found.pid, session, state: 'idle' }
      const both = [
        { ...is, turns: entry.turns, needs_you: entry.needs_you },
        { ...must, turns, needs_you: false },
      ]
      const [said, so] = both.map((each) => JSON.stringify(each))
      if (said !== so) return `${name} is listed as ${said} and is ${so}`
    }
    return undefined
  })

/** The journal after `seq`, read from the disk; and it folds to what is kept. */
export const journalAfter = async ({ root }: Ground, seq: number): Promise<readonly Event[]> => {
  const store = await openStore({ file: layout(root).store, reduce: reduceOf, now: () => new Date() })
  try {
    const different = await verify(store, reduceOf)
    demand(different.length === 0, `the journal folds to something else for ${different.join(', ')}`)
    state.parse(stateOf((await store.list()).kept))
    const found: Event[] = []
    for (let after = seq; ; ) {
      const page = await store.events({ after, limit: 1000 })
      found.push(...page)
      const last = page.at(-1)
      if (last === undefined) return found
      after = last.seq
    }
  } finally {
    await store.close()
  }
}
