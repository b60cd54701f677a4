import { findRoot } from '../../config/root/find.ts'
import type { Handler } from '../io.ts'
import { where } from '../root/where.ts'
import { askContinue, askRecord, giverOf, ownedOf } from './ask.ts'
import { checked, promptOf } from './prompt.ts'
import { secondsOf } from './request/rules.ts'
import { howToReturn, sentence } from './told/rules.ts'
import { awaited } from './wait.ts'

const command = 'agency task continue'

export const run: Handler = async (call) => {
  const { values, flags } = call
  const seconds = values.timeout === undefined ? undefined : checked(secondsOf(values.timeout), command)
  const prompt = await promptOf(call)
  const { directory: root } = await findRoot(where(call.io))
  const asker = { root, line: call }
  const { task: found, known } = await askRecord(asker, values.id ?? '')
  const task = ownedOf(found)
  const { id, agent, session } = task
  await askContinue(asker, task, {
    ...giverOf(call),
    prompt,
    ...(seconds !== undefined && { timeout_seconds: seconds }),
  })
  const told = { agent, task_id: id, session_id: session, state: 'queued' as const }
  if (flags.has('wait') || flags.has('follow')) return awaited(asker, { task: told, known })
  call.progress(howToReturn(id))
  return { data: { task: told }, lines: [sentence(told)] }
}
