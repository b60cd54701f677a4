import { fail } from '../../base/error/fail.ts'
import { nearest } from '../../base/text/rules.ts'
import type { Client } from '../../client/call.ts'
import { layout } from '../../config/layout/rules.ts'
import { findKeeper } from '../../keeper/find.ts'
import { reachKeeper } from '../../keeper/reach.ts'
import { isOver } from '../../registry/rules.ts'
import { dismiss } from '../../session/dismiss.ts'
import type { Outcome } from '../command/schema.ts'
import { askStop, componentsOf, lookFor } from '../host/ask.ts'
import { patienceOf, untilOver } from '../host/end.ts'
import { named } from '../host/rules.ts'
import type { Call, Handler } from '../io.ts'
import { agentsOf, askStopAgent } from './ask.ts'

const grace = 10_000

const absent = (name: string, known: readonly string[]): never => {
  const near = nearest(name, known)
  const see = 'Type `agency list` to see what runs.'
  return fail('not_found', {
    what: `component "${name}"`,
    see: near === undefined ? see : `Did you mean "${near}"? ${see}`,
  })
}

/** Without a host an agent is still there, with its keeper; the next host learns how it ended. */
const stopKept = async (call: Call, root: string, name: string): Promise<Outcome> => {
  const found = await findKeeper(layout(root).session(name))
  if (found === undefined) return absent(name, [])
  call.progress(`ending "${name}" …`)
  const exit = await dismiss(await reachKeeper(found), grace)
  const left = exit?.left ?? []
  if (left.length > 0) fail('agent_left', { agent: name, who: left.map(({ pid }) => pid).join(', ') })
  return { data: { root, id: `agents/${name}`, ended: true, exit }, lines: [`agents/${name} has ended.`] }
}

const stopListed = async (call: Call, client: Client, root: string, name: string): Promise<Outcome> => {
  // First: a host that has just started finds its agents again before it answers this.
  const launched = await agentsOf(client)
  const components = await componentsOf(client)
  const found =
    named(components, name) ??
    absent(
      name,
      components.map((each) => each.name),
    )
  const { id } = found
  if (isOver(found.state)) return { data: { root, id, ended: false }, lines: [`${id} had already ended.`] }
  if (found.type === 'agent' && launched.some((each) => each.name === found.name)) {
    call.progress(`ending "${found.name}" …`)
    const { exit } = await askStopAgent(client, found.name)
    return { data: { root, id, ended: true, exit }, lines: [`${id} has ended.`] }
  }
  const seconds = await patienceOf(root, call)
  await askStop(client, id, { timeout_seconds: seconds })
  await untilOver(call, client, [id], seconds)
  return { data: { root, id, ended: true }, lines: [`${id} has ended.`] }
}

export const run: Handler = async (call) => {
  const { name = '' } = call.values
  const { root, client } = await lookFor(call)
  return client === undefined ? stopKept(call, root, name) : stopListed(call, client, root, name)
}
