// The questions this command line has about launched agents.

import type { AgentEntry, agent, agents } from '../../agent/api.ts'
import type { BodyOf } from '../../base/contract/schema.ts'
import { type Client, call } from '../../client/call.ts'
import { below, type Reply, route } from '../../client/route.ts'
import { reach } from '../../client/start.ts'
import { environmentProblems } from '../../driver/claude/env/rules.ts'
import type { Call, Io } from '../io.ts'
import { whenReady } from '../patience.ts'
import { standing } from '../root/where.ts'

const list = route<typeof agents.list>('GET', '/agents')
const launch = route<typeof agents.launch>('POST', '/agents')
const resume = route<typeof agents.resume>('POST', '/sessions/resume')
const fork = route<typeof agents.fork>('POST', '/sessions/fork')
const forget = route<typeof agents.forget>('POST', '/sessions/forget')
const stop = route<typeof agent.stop>('POST', '/stop')

export type Launched = Reply<typeof agents.launch>

export const agentsOf = async (client: Client): Promise<readonly AgentEntry[]> =>
  (await call(client, list, {})).agents
export const askLaunch = (client: Client, body: BodyOf<typeof agents.launch>): Promise<Launched> =>
  whenReady(() => call(client, launch, { body }))
export const askResume = (client: Client, body: BodyOf<typeof agents.resume>): Promise<Launched> =>
  whenReady(() => call(client, resume, { body }))
export const askFork = (client: Client, body: BodyOf<typeof agents.fork>): Promise<Launched> =>
  whenReady(() => call(client, fork, { body }))
export const askForget = (client: Client): Promise<Reply<typeof agents.forget>> =>
  call(client, forget, { body: {} })
export const askStopAgent = (client: Client, name: string): Promise<Reply<typeof agent.stop>> =>
  whenReady(() => call(client, below(`agents/${name}`, stop), { body: {} }))

/** Where this command was typed: what an agent gets of it is decided by the host. */
export const callerOf = (io: Io): { cwd: string; env: Record<string, string> } => ({
  cwd: standing(io),
  env: Object.fromEntries(
    Object.entries(io.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  ),
})

/** What is for one task alone: a host that had it would give it to every agent, for as long as it lives. */
const forTask = ({ env = [] }: Call['lists']): readonly string[] =>
  env.filter((name) => environmentProblems({ [name]: '' }).length === 0)

/** The host of the root; an agent needs one, so it is started where none is up. */
export const hostFor = (root: string, { io, lists, progress }: Call): Promise<Client> =>
  reach(root, { start: [...io.self, 'up', '--yield'], without: forTask(lists), say: progress })

/** Looking starts no host. */
export const hostUp = (root: string, { progress }: Call): Promise<Client> =>
  reach(root, { say: progress, patience: 15_000 })
