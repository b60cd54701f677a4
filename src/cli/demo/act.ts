// An act of the demo: one claim, and how it is proved.
import { setTimeout as pause } from 'node:timers/promises'
import type { AgentEntry } from '../../agent/api.ts'
import { failure } from '../../base/error/fail.ts'
import type { Identity } from '../../base/process/identity.ts'
import { events } from '../../client/events.ts'
import { reach } from '../../client/start.ts'
import type { Event } from '../../journal/schema.ts'
import { liveHost } from '../trace/find.ts'
import type { Said, Stage } from './stage.ts'

export type Act = {
  readonly story: string
  readonly claim: string
  /** Answers what was seen; throws where the claim is not true. */
  readonly prove: (stage: Stage) => Promise<string>
}

/** Goes on only if it is so. */
export type Insist = (so: boolean, seen: string) => void

export const act = (
  story: string,
  claim: string,
  prove: (stage: Stage, insist: Insist) => Promise<string>,
): Act => {
  const insist: Insist = (so, seen) => {
    if (!so) throw failure('claim_untrue', { claim, seen })
  }
  return { story, claim, prove: (stage) => prove(stage, insist) }
}

export const short = ({ code, out, err }: Said): string =>
  `exit ${code}: ${(err || out).trim().split('\n')[0] ?? ''}`

export const patience = 60_000

/** The live host, remembered so that it is ended whatever happens. */
export const hostOf = ({ root, seen }: Stage): Identity => {
  const host = liveHost(root)
  if (host === undefined) {
    throw failure('claim_untrue', {
      claim: 'A host runs for the temporary root',
      seen: 'nobody alive that it names',
    })
  }
  seen(host)
  return host
}

export const agentOf = async ({ json }: Stage, name: string): Promise<AgentEntry | undefined> => {
  const { agents = [] } = (await json('list')) as { agents?: AgentEntry[] }
  return agents.find((each) => each.name === name)
}

const agentState = async ({ json }: Stage): Promise<string> => {
  const { components = [] } = (await json('list')) as { components?: { name: string; state: string }[] }
  return components.find(({ name }) => name === 'coder')?.state ?? 'not listed'
}

export const untilIdle = async (stage: Stage, insist: Insist): Promise<void> => {
  const until = performance.now() + patience
  let state = await agentState(stage)
  while (state !== 'idle' && performance.now() < until) {
    await pause(50)
    state = await agentState(stage)
  }
  insist(state === 'idle', `the agent "coder" is ${state}`)
}

/** The journal from its beginning to the first event of a type, `nth` time. */
export const journal = async ({ root }: Stage, type: string, nth: number): Promise<Event[]> => {
  const client = await reach(root)
  const found: Event[] = []
  for await (const event of events(client, { after: 0, signal: AbortSignal.timeout(patience) })) {
    found.push(event)
    if (found.filter((each) => each.type === type).length === nth) break
  }
  return found
}

export const typesOf = (found: readonly Event[]): string => found.map(({ type }) => type).join(', ')
