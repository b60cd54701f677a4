// `agency pod stop`: ends every agent of a pod, and says so only of those of which no process is left.
import { fail } from '../../base/error/fail.ts'
import { nearest } from '../../base/text/rules.ts'
import type { Client } from '../../client/call.ts'
import { layout } from '../../config/layout/rules.ts'
import { findKeeper } from '../../keeper/find.ts'
import { reachKeeper } from '../../keeper/reach.ts'
import { isOver } from '../../registry/rules.ts'
import { dismiss } from '../../session/dismiss.ts'
import { askStopAgent } from '../agent/ask.ts'
import { lookFor } from '../host/ask.ts'
import type { Handler } from '../io.ts'
import { checkName } from '../name.ts'
import { attempted, presentAgents } from './present.ts'
import { linesOf, type Present, type Result, tally } from './rules.ts'

const grace = 10_000

const absent = (pod: string, present: readonly Present[]): never => {
  const near = nearest(
    pod,
    present.flatMap((each) => each.pod ?? []),
  )
  const see = 'Type `agency pod list` to see what runs.'
  return fail('not_found', {
    what: `pod "${pod}" that runs`,
    see: near === undefined ? see : `Did you mean "${near}"? ${see}`,
  })
}

const stopAsked = async (client: Client, { name, role }: Present): Promise<Result> => {
  const { agent } = await askStopAgent(client, name)
  if (!isOver(agent.state)) return { name, role, result: 'failed', text: `it is still ${agent.text}` }
  return { name, role, result: 'ended', text: agent.text }
}

/** Without a host an agent is still there, with its keeper; the next host learns how it ended. */
const stopKept = async (root: string, { name, role }: Present): Promise<Result> => {
  const found = await findKeeper(layout(root).session(name))
  const exit = found === undefined ? null : await dismiss(await reachKeeper(found), grace)
  const left = exit?.left ?? []
  if (left.length > 0) fail('agent_left', { agent: name, who: left.map(({ pid }) => pid).join(', ') })
  return { name, role, result: 'ended', text: '' }
}

export const run: Handler = async (call) => {
  const pod = checkName('pod name', call.values.pod ?? '')
  const { root, client } = await lookFor(call)
  const present = await presentAgents(root, client)
  const members = present.filter((each) => each.pod === pod)
  const plain = client === undefined ? present.filter(({ role }) => role === undefined) : []
  if (plain.length > 0)
    call.warn(
      `${plain.map(({ name }) => name).join(', ')}: without a host nobody knows which pod this is in; type \`agency start\` and try again to be sure`,
    )
  if (members.length === 0) return absent(pod, present)
  const living = members.filter(({ over }) => !over)
  if (living.length > 0) call.progress(`ending ${living.map(({ name }) => name).join(', ')} …`)
  const agents = await Promise.all(
    living.map((agent) =>
      attempted(agent, () => (client === undefined ? stopKept(root, agent) : stopAsked(client, agent))),
    ),
  )
  const sum = agents.length === 0 ? 'all its agents had already ended' : tally(agents)
  return {
    data: { root, pod, agents },
    lines: [...agents.flatMap(linesOf), `The pod "${pod}": ${sum}.`],
    exit: agents.some(({ result }) => result === 'failed') ? 1 : 0,
  }
}
