// `agency pod launch`: every agent of a template, one after another; those that are up stay as they are.
import { setTimeout as wait } from 'node:timers/promises'
import type { Client } from '../../client/call.ts'
import { problemLine } from '../../config/yaml/rules.ts'
import { loadPod } from '../../pod/load.ts'
import { expandPod, podName } from '../../pod/rules.ts'
import type { PodFile, PodMember } from '../../pod/schema.ts'
import { askLaunch, callerOf, hostFor } from '../agent/ask.ts'
import { askLimit } from '../budget/ask.ts'
import type { Outcome } from '../command/schema.ts'
import { lookFor } from '../host/ask.ts'
import type { Call, Handler } from '../io.ts'
import { checkName } from '../name.ts'
import { attempted, presentAgents, takenNames } from './present.ts'
import { rehearse } from './rehearse.ts'
import { linesOf, type Result, standing, tally } from './rules.ts'

type Pod = {
  readonly root: string
  readonly template: string
  readonly pod: string
  readonly members: readonly PodMember[]
  readonly budget: PodFile['budget']
}

const podOf = async ({ values, io, warn }: Call, root: string): Promise<Pod> => {
  const { name, template, warnings } = await loadPod(root, values.template ?? '')
  for (const warning of warnings) warn(problemLine(warning, root))
  const given = { flag: values.pod, env: io.env.AGENCY_POD, template: template.pod_name, stem: name }
  const pod = checkName('pod name', podName(given))
  return { root, template: name, pod, members: expandPod(template, pod), budget: template.budget }
}

/** Warnings with the agents they are about: most are the same for all of them. */
type Warned = Map<string, string[]>

const launch = async (call: Call, client: Client, member: PodMember, warned: Warned): Promise<Result> => {
  const { name, role, pod, overrides } = member
  const wish = { role, name, pod, overrides: [...overrides] }
  const { agent, warnings } = await askLaunch(client, { ...callerOf(call.io), ...wish })
  for (const warning of warnings) warned.set(warning, [...(warned.get(warning) ?? []), name])
  return { name, role, result: 'launched', text: `${agent.text}, pid ${agent.pid}` }
}

/** Somebody else may be launching the same agent: it then shows up, or its name is free again. */
const patience = 60_000

const bringUp = async (call: Call, { root, pod, members, budget }: Pod): Promise<readonly Result[]> => {
  const client = await hostFor(root, call)
  // Before its agents: none of them may use anything that is not counted.
  await askLimit(client, pod, budget ?? {})
  const warned: Warned = new Map()
  const bring = async (member: PodMember): Promise<Result> => {
    for (const late = performance.now() + patience; ; await wait(200)) {
      // Before the agents: who joins in between is one of them, and not somebody who keeps the name.
      const taken = await takenNames(client)
      const found = standing(member, await presentAgents(root, client))
      if (found !== undefined) return found
      call.progress(`launching "${member.name}" …`)
      const result = await attempted(member, () => launch(call, client, member, warned))
      const kept = taken.includes(member.name) || performance.now() > late
      if (result.error !== 'name_in_use' || kept) return result
    }
  }
  const results: Result[] = []
  for (const member of members) {
    const result = await attempted(member, () => bring(member))
    results.push(result)
    for (const line of linesOf(result)) call.say(line)
  }
  for (const [warning, names] of warned) call.warn(`${names.join(', ')}: ${warning}`)
  return results
}

const outcomeOf = (pod: Pod, agents: readonly Result[], lines: readonly string[]): Outcome => {
  const { members: _, budget: _budget, ...named } = pod
  return {
    data: { ...named, agents },
    lines: [`The pod "${pod.pod}": ${tally(agents) || 'no agents'}.`, ...lines],
    exit: agents.some(({ result }) => result === 'failed') ? 1 : 0,
  }
}

export const run: Handler = async (call) => {
  const { root, client } = await lookFor(call)
  const pod = await podOf(call, root)
  const dryRun = call.flags.has('dry-run')
  const foreseen = dryRun || client === undefined ? await rehearse(call, root, client, pod.members) : []
  // No host is started for nothing, or for launches that it would all refuse.
  const hopeless = client === undefined && foreseen.every(({ result }) => result === 'failed')
  if (dryRun || hopeless) {
    for (const line of foreseen.flatMap(linesOf)) call.say(line)
    return outcomeOf(pod, foreseen, [`Nothing was started${dryRun ? ' (--dry-run)' : ''}.`])
  }
  const results = await bringUp(call, pod)
  const again = `agency pod launch ${pod.template} --pod ${pod.pod}`
  const some = results.some(({ result }) => result === 'failed')
  return outcomeOf(
    pod,
    results,
    some ? [`Remove the cause, then type \`${again}\`: what is up stays as it is.`] : [],
  )
}
