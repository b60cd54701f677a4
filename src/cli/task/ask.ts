// The questions this command line has about tasks.
import type { BodyOf } from '../../base/contract/schema.ts'
import { AgencyError, fail } from '../../base/error/fail.ts'
import { check } from '../../base/problem/rules.ts'
import { type Client, call } from '../../client/call.ts'
import { below, type Reply, route } from '../../client/route.ts'
import type { host } from '../../host/api.ts'
import type { QueueRequest, queue, TaskDebug, TaskDetails, TaskRequest, tasks } from '../../task/api.ts'
import { type Task, taskId } from '../../task/schema.ts'
import { hostFor, hostUp } from '../agent/ask.ts'
import type { Call } from '../io.ts'
import { throughLoss, whenReady } from '../patience.ts'

const state = route<typeof host.state>('GET', '/state')
const give = route<typeof tasks.give>('POST', '/task')
const enqueue = route<typeof queue.give>('POST', '/tasks')
const pause = route<typeof queue.pause>('POST', '/tasks/pause')
const show = route<typeof queue.show>('GET', '/tasks/:id')
const cancel = route<typeof queue.cancel>('POST', '/tasks/:id/cancel')
const proceed = route<typeof tasks.proceed>('POST', '/task/:id/continue')
const end = route<typeof tasks.end>('POST', '/task/:id/end')
const debug = route<typeof tasks.debug>('GET', '/task/:id/debug')
const past = route<typeof tasks.past>('GET', '/history/:id')

/** Where a question goes, and whether a host is started for it. */
export type Asker = { readonly root: string; readonly line: Call; readonly look?: true }

const hostOf = ({ root, line, look }: Asker): Promise<Client> =>
  look ? hostUp(root, line) : hostFor(root, line)

const at = (agent: string): string => `agents/${agent}`

/** A task that an agent has. */
export type Owned = Task & { readonly agent: string }

/** What only its agent can do. */
export const ownedOf = (task: Task): Owned =>
  task.agent === undefined ? fail('task_waiting', { task: task.id }) : { ...task, agent: task.agent }

/** All tasks that are known, newest first, and the place in the journal where that was true. */
export type Known = {
  readonly seq: number
  readonly tasks: readonly Task[]
  /** Since when no task that waits for an agent is begun. */
  readonly pausedSince?: string | undefined
  /** Every session that the agent was launched with. */
  sessionsOf(agent: string): readonly string[]
}

export const askKnown = (asker: Asker): Promise<Known> =>
  throughLoss(async () => {
    const { seq, state: all } = await call(await hostOf(asker), state, {})
    return {
      seq,
      pausedSince: Object.values(all.host).find(({ paused }) => paused !== undefined)?.paused,
      tasks: Object.values(all.task).sort((one, other) => other.at - one.at || (one.id < other.id ? 1 : -1)),
      sessionsOf: (agent) =>
        Object.entries(all.session).flatMap(([id, session]) => (session.agent === agent ? [id] : [])),
    }
  })

/** Its id alone is enough. */
export const askRecord = async (asker: Asker, id: string): Promise<{ task: Task; known: Known }> => {
  const see = 'Type `agency history` to see those that are known.'
  if (!('value' in check(taskId, id)))
    fail('bad_value', { value: id, what: 'the argument id', expected: 'the id of a task', hint: see })
  const known = await askKnown(asker)
  const task = known.tasks.find((each) => each.id === id)
  return { task: task ?? fail('not_found', { what: `task "${id}"`, see }), known }
}

/** Whoever asks as an agent says so: the host decides whom it may give work. */
export const giverOf = ({ io }: Call): { by?: string } => {
  const { AGENCY_ACTOR: by } = io.env
  return by ? { by } : {}
}

/** Under its key it is the same task, so it is given again whatever became of the host that it was given to. */
export const askGive = (
  asker: Asker,
  agent: string,
  body: TaskRequest & { idempotency_key: string },
): Promise<Reply<typeof tasks.give>> =>
  throughLoss(async () => call(await hostOf(asker), below(at(agent), give), { body }))

export const askQueue = (
  asker: Asker,
  body: QueueRequest & { idempotency_key: string },
): Promise<Reply<typeof queue.give>> => throughLoss(async () => call(await hostOf(asker), enqueue, { body }))

export const askPause = (asker: Asker, paused: boolean): Promise<Reply<typeof queue.pause>> =>
  throughLoss(async () => call(await hostOf(asker), pause, { body: { paused } }))

/** What becomes of it; a host that is killed meanwhile is started again: the task is in the journal. */
export const askTask = (asker: Asker, id: string): Promise<Reply<typeof queue.show>> =>
  throughLoss(async () => call(await hostOf(asker), show, { params: { id } }), Number.POSITIVE_INFINITY)

export const askDetails = (asker: Asker, agent: string, id: string): Promise<TaskDetails> =>
  throughLoss(async () => call(await hostOf(asker), below(at(agent), past), { params: { id } }))

export const askDebug = (asker: Asker, agent: string, id: string): Promise<TaskDebug> =>
  throughLoss(async () => call(await hostOf(asker), below(at(agent), debug), { params: { id } }))

/** A wish that is told twice is the same wish. */
export const askCancel = (asker: Asker, id: string): Promise<Reply<typeof queue.cancel>> =>
  throughLoss(async () => call(await hostOf(asker), cancel, { params: { id } }))

export const askEnd = (asker: Asker, agent: string, id: string): Promise<Reply<typeof tasks.end>> =>
  throughLoss(async () => call(await hostOf(asker), below(at(agent), end), { params: { id } }))

/** A prompt that is told twice would be done twice: after a loss only if the task does not have it. */
export const askContinue = async (
  asker: Asker,
  { id, agent, prompts }: Owned,
  body: BodyOf<typeof tasks.proceed>,
): Promise<void> => {
  const tell = async (): Promise<unknown> =>
    call(await hostOf(asker), below(at(agent), proceed), { params: { id }, body })
  for (;;)
    try {
      await whenReady(tell)
      return
    } catch (error) {
      if (!(error instanceof AgencyError) || error.code !== 'connection_lost') throw error
      const { task } = await askRecord(asker, id)
      if ((task.prompts ?? 1) > (prompts ?? 1)) return
    }
}
