// Waits for a task. Who leaves it does not end it.
import { setTimeout as pause } from 'node:timers/promises'
import type { TaskView } from '../../task/api.ts'
import { hostFor } from '../agent/ask.ts'
import type { Outcome } from '../command/schema.ts'
import { liveLine } from '../live.ts'
import { type Asker, askTask, type Known } from './ask.ts'
import { type Following, follow } from './follow.ts'
import { doing, howToGoOn, howToReturn, isSettled, leftLine, type Of, outcome, whose } from './told/rules.ts'

export type Awaited = {
  readonly task: Of<Pick<TaskView, 'task_id' | 'session_id' | 'state'>>
  /** What was known before: what it does is told from there on. */
  readonly known: Pick<Known, 'seq' | 'sessionsOf'>
}

const between = 300

export const untilSettled = async (
  { root, line }: Asker,
  { task, known }: Awaited,
): Promise<Of<TaskView>> => {
  const { task_id: id, agent, session_id } = task
  const live = liveLine(line)
  line.defer(live.clear)
  line.leavable({ data: { task, left: true }, line: leftLine(task) })
  line.progress(`${whose(task)}. Ctrl-C leaves it: ${howToReturn(id)}`)
  let following: Following | undefined
  if (line.flags.has('follow') && !line.json && !isSettled(task)) {
    const watched = { task: id, sessions: [session_id, ...(agent === null ? [] : known.sessionsOf(agent))] }
    following = follow(await hostFor(root, line), watched, known.seq, live.print)
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
