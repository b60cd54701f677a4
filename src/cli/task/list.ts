import { isFinal } from '../../task/rules.ts'
import type { Handler } from '../io.ts'
import { summaries, tasksOf } from './look.ts'
import { tableOf } from './told/rules.ts'

export const run: Handler = async (call) => {
  const all = call.flags.has('all')
  const tasks = summaries((await tasksOf(call)).filter((task) => all || !isFinal(task)))
  const none = all
    ? 'No tasks. Type `agency task run "…" --agent NAME` to give one.'
    : 'No task is open. Type `agency history` to see those that are over.'
  return { data: { tasks }, lines: tasks.length === 0 ? [none] : tableOf(tasks) }
}
