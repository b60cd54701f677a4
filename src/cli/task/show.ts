import { AgencyError } from '../../base/error/fail.ts'
import { findRoot } from '../../config/root/find.ts'
import type { TaskDetails } from '../../task/api.ts'
import { summaryOf, viewOf } from '../../task/rules.ts'
import type { Task } from '../../task/schema.ts'
import type { Handler } from '../io.ts'
import { where } from '../root/where.ts'
import { type Asker, askDetails, askRecord, askTask } from './ask.ts'
import { clock } from './look.ts'
import { report } from './told/rules.ts'
import { awaited } from './wait.ts'

const recorded = (task: Task): TaskDetails => {
  const now = clock()
  return { ...viewOf(task, now), ...summaryOf(task, now), prompts: [], log: [] }
}

/** Where no agent has it, or that one is gone or cannot work, what the journal keeps is told. */
const detailsOf = async (asker: Asker, task: Task): Promise<TaskDetails> => {
  if (task.agent === undefined) return recorded(task)
  return askDetails(asker, task.agent, task.id).catch((error: unknown) => {
    if (!(error instanceof AgencyError) || !['not_found', 'component_error'].includes(error.code)) throw error
    return recorded(task)
  })
}

export const run: Handler = async (call) => {
  const { directory: root } = await findRoot(where(call.io))
  const waits = call.flags.has('wait') || call.flags.has('follow')
  const asker: Asker = { root, line: call, ...(!waits && { look: true }) }
  const { task, known } = await askRecord(asker, call.values.id ?? '')
  const { id, agent = null, session, state } = task
  const why = agent === null && state === 'queued' ? (await askTask(asker, id)).waits : undefined
  const whose = { agent, ...(why !== undefined && { waits: why }) }
  if (waits) return awaited(asker, { task: { ...whose, task_id: id, session_id: session, state }, known })
  const told = { ...whose, ...(await detailsOf(asker, task)) }
  return { data: { task: told }, lines: report(told) }
}
