import { findRoot } from '../../config/root/find.ts'
import type { Handler } from '../io.ts'
import { where } from '../root/where.ts'
import { askCancel, askRecord } from './ask.ts'
import { sentence } from './told/rules.ts'
import { untilSettled } from './wait.ts'

export const run: Handler = async (call) => {
  const { directory: root } = await findRoot(where(call.io))
  const asker = { root, line: call }
  const { task, known } = await askRecord(asker, call.values.id ?? '')
  const { id, agent = null, session } = task
  const { state } = await askCancel(asker, id)
  const asked = { agent, task_id: id, session_id: session, state }
  if (!call.flags.has('wait')) return { data: { task: asked }, lines: [sentence(asked)] }
  const told = await untilSettled(asker, { task: asked, known })
  // It may have come to its own end first.
  return { data: { task: told }, lines: [sentence(told)], exit: told.state === 'cancelled' ? 0 : 1 }
}
