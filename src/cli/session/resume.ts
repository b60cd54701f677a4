// `agency session resume`: goes on with the conversation of an agent that has ended or was lost.
import { findRoot } from '../../config/root/find.ts'
import { askResume, callerOf, hostFor } from '../agent/ask.ts'
import { afterLaunch } from '../agent/launched.ts'
import type { Handler } from '../io.ts'
import { checkName } from '../name.ts'
import { where } from '../root/where.ts'

export const run: Handler = async (call) => {
  const name = checkName('agent name', call.values.name ?? '')
  const { directory: root } = await findRoot(where(call.io))
  const client = await hostFor(root, call)
  call.progress(`resuming "${name}" …`)
  return afterLaunch(call, await askResume(client, { ...callerOf(call.io), name }))
}
