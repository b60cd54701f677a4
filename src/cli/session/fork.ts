// `agency session fork`: another agent that begins with what one has said.
import { findRoot } from '../../config/root/find.ts'
import { askFork, callerOf, hostFor } from '../agent/ask.ts'
import { afterLaunch } from '../agent/launched.ts'
import type { Handler } from '../io.ts'
import { checkName } from '../name.ts'
import { where } from '../root/where.ts'

export const run: Handler = async (call) => {
  const { values, io } = call
  const agent = checkName('agent name', values.agent ?? '')
  const name = values.name === undefined ? {} : { name: checkName('agent name', values.name) }
  const { directory: root } = await findRoot(where(io))
  const client = await hostFor(root, call)
  call.progress(`forking "${agent}" …`)
  return afterLaunch(call, await askFork(client, { ...callerOf(io), agent, ...name }))
}
