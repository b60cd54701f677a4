import { findRoot } from '../../config/root/find.ts'
import type { TaskDebug } from '../../task/api.ts'
import type { Handler } from '../io.ts'
import { where } from '../root/where.ts'
import { askDebug, askRecord, ownedOf } from './ask.ts'

type Attempt = TaskDebug['attempts'][number]

const linesOf = ({ number, stdout, stderr, truncated }: Attempt): string[] => [
  `Attempt ${number}${truncated ? ', only the end of it' : ''}`,
  ...(stdout === '' ? [] : ['stdout:', stdout.trimEnd()]),
  ...(stderr === '' ? [] : ['stderr:', stderr.trimEnd()]),
]

export const run: Handler = async (call) => {
  const { directory: root } = await findRoot(where(call.io))
  const asker = { root, line: call, look: true as const }
  const task = ownedOf((await askRecord(asker, call.values.id ?? '')).task)
  const { attempts } = await askDebug(asker, task.agent, task.id)
  const none = `Nothing that ${task.id} printed is kept.`
  return {
    data: { task_id: task.id, agent: task.agent, attempts },
    lines: attempts.length === 0 ? [none] : attempts.flatMap(linesOf),
  }
}
