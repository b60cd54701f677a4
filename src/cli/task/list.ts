import { isFinal } from '../../task/rules.ts'
import type { Handler } from '../io.ts'
import { summaries, tasksOf } from './look.ts'
import { pausedLine, tableOf } from './told/rules.ts'

export const run: Handler = async (call) => {
  const all = call.flags.has('all')
  const { tasks: known, pausedSince } = await tasksOf(call)
  const tasks = summaries(known.filter((task) => all || !isFinal(task)))
  const none = all
    ? 'No tasks. Type `agency task run "…"` to give one.'
    : 'No task is open. Type `agency history` to see those that are over.'
  const paused = pausedSince === undefined ? [] : [pausedLine(pausedSince)]
  return {
    data: { tasks, paused_since: pausedSince ?? null },
    lines: [...(tasks.length === 0 ? [none] : tableOf(tasks)), ...paused],
  }
}
