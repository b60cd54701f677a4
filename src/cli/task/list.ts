import { isFinal, summaryOf } from '../../task/rules.ts'
import type { Task } from '../../task/schema.ts'
import type { Handler } from '../io.ts'
import { iso, tasksOf } from './look.ts'
import { tableOf } from './told/rules.ts'

export const run: Handler = async (call) => {
  const all = call.flags.has('all')
  const { tasks: found } = await tasksOf(call)
  const now = Date.now()
  const told = (task: Task) => ({ agent: task.agent, ...summaryOf(task, { now, iso }) })
  const tasks = found.filter((task) => all || !isFinal(task)).map(told)
  const none = all
    ? 'No tasks. Type `agency task run "…" --agent NAME` to give one.'
    : 'No task is open. Type `agency history` to see those that are over.'
  return { data: { tasks }, lines: tasks.length === 0 ? [none] : tableOf(tasks) }
}
