import { fail } from '../../base/error/fail.ts'
import { nearest } from '../../base/text/rules.ts'
import { findRoot } from '../../config/root/find.ts'
import type { TaskSummary } from '../../task/api.ts'
import { summaryOf } from '../../task/rules.ts'
import type { Task } from '../../task/schema.ts'
import { hostUp } from '../agent/ask.ts'
import { componentsOf } from '../host/ask.ts'
import type { Call } from '../io.ts'
import { checkName } from '../name.ts'
import { where } from '../root/where.ts'
import { type Asker, askKnown, type Known } from './ask.ts'
import type { Of } from './told/rules.ts'

/** A name that nobody has and nobody had is a mistake, not an empty list. */
const checkKnown = async ({ root, line }: Asker, agent: string, tasks: readonly Task[]): Promise<void> => {
  const components = await componentsOf(await hostUp(root, line))
  const names = [...components.map(({ name }) => name), ...tasks.flatMap((task) => task.agent ?? [])]
  if (names.includes(agent)) return
  const near = nearest(agent, names)
  const see = 'Type `agency list` to see what runs.'
  fail('not_found', {
    what: `agent "${agent}"`,
    see: near === undefined ? see : `Did you mean "${near}"? ${see}`,
  })
}

/** The tasks of all, or of the agent that was named; newest first. Looking starts no host. */
export const tasksOf = async (call: Call): Promise<Pick<Known, 'tasks' | 'pausedSince'>> => {
  const agent = call.values.agent === undefined ? undefined : checkName('agent name', call.values.agent)
  const { directory: root } = await findRoot(where(call.io))
  const asker = { root, line: call, look: true as const }
  const known = await askKnown(asker)
  if (agent === undefined) return known
  await checkKnown(asker, agent, known.tasks)
  return { ...known, tasks: known.tasks.filter((task) => task.agent === agent) }
}

export const clock = () => ({ now: Date.now(), iso: (at: number): string => new Date(at).toISOString() })

export const summaries = (tasks: readonly Task[]): readonly Of<TaskSummary>[] => {
  const now = clock()
  return tasks.map((task) => ({ agent: task.agent ?? null, ...summaryOf(task, now) }))
}
