import { findRoot } from '../../config/root/find.ts'
import type { Handler } from '../io.ts'
import { where } from '../root/where.ts'
import { askEnd, askRecord, ownedOf } from './ask.ts'
import { sentence } from './told/rules.ts'

export const run: Handler = async (call) => {
  const { directory: root } = await findRoot(where(call.io))
  const asker = { root, line: call }
  const task = ownedOf((await askRecord(asker, call.values.id ?? '')).task)
  const ended = { agent: task.agent, ...(await askEnd(asker, task.agent, task.id)) }
  return { data: { task: ended }, lines: [sentence(ended)] }
}
