// Waits for a task. Who leaves it does not end it.
import { setTimeout as pause } from 'node:timers/promises'
import type { TaskView } from '../../task/api.ts'
import { hostFor } from '../agent/ask.ts'
import type { Outcome } from '../command/schema.ts'
import { liveLine } from '../live.ts'
import { type Asker, askTask } from './ask.ts'
import { type Awaited, type Following, follow } from './follow.ts'
import { doing, howToGoOn, howToReturn, isSettled, leftLine, type Of, outcome, whose } from './told/rules.ts'

const between = 300

export const untilSettled = async ({ root, line }: Asker, awaiting: Awaited): Promise<Of<TaskView>> => {
  const { task } = awaiting
  const { task_id: id } = task
  const live = liveLine(line)
  line.defer(live.clear)
  line.leavable({ data: { task, left: true }, line: leftLine(task) })
  line.progress(`${whose(task)}. Ctrl-C leaves it: ${howToReturn(id)}`)
  let following: Following | undefined
  if (line.flags.has('follow') && !line.json && !isSettled(task)) {
    following = follow(await hostFor(root, line), awaiting, live.print)
    line.defer(following.stop)
  }
  for (;;) {
    const told = await askTask({ root, line }, id)
    live.show(doing(told))
    if (!isSettled(told)) {
      await pause(between)
      continue
    }
    await following?.rest()
    live.clear()
    return told
  }
}

export const awaited = async (asker: Asker, of: Awaited): Promise<Outcome> => {
  const task = await untilSettled(asker, of)
  if (task.state === 'idle') asker.line.progress(howToGoOn(task.task_id))
  return outcome(task)
}
