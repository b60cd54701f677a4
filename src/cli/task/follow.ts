// What a task does, line by line, as the journal tells it. Only for people to read: nothing is decided by it.
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '../../client/call.ts'
import { events } from '../../client/events.ts'
import type { Event } from '../../journal/schema.ts'
import type { TaskView } from '../../task/api.ts'
import type { Known } from './ask.ts'
import { isSettled, lineOf, type Of, type Watched, watchedFrom } from './told/rules.ts'

export type Awaited = {
  readonly task: Of<Pick<TaskView, 'task_id' | 'state'>> & Partial<Pick<TaskView, 'session_id'>>
  /** What was known before: what it does is told from there on. */
  readonly known: Pick<Known, 'seq' | 'sessionsOf'>
}

export type Following = {
  /** Resolves when all of it was told, or it takes too long to hear the rest. */
  rest(): Promise<void>
  stop(): void
}

/** How long the last lines may take to arrive behind the outcome. */
const patience = 5_000

export const follow = (
  client: Client,
  { task, known }: Awaited,
  print: (line: string) => void,
): Following => {
  const { task_id: id, session_id: session } = task
  const ended = new AbortController()
  const { signal } = ended
  let agent: unknown = task.agent
  let watched: Watched = {
    task: id,
    sessions: [
      ...(session === undefined ? [] : [session]),
      ...(task.agent === null ? [] : known.sessionsOf(task.agent)),
    ],
  }

  /** One that waited has found its agent. */
  const taken = ({ data }: Event): boolean => {
    if (agent !== null || typeof data.agent !== 'string') return false
    agent = data.agent
    print(`  ${id} is taken by ${data.agent}`)
    return true
  }

  const read = async (): Promise<void> => {
    let state: unknown
    for await (const event of events(client, { after: known.seq, signal })) {
      watched = watchedFrom(event, watched, known.sessionsOf) ?? watched
      const mine = event.type === 'task.changed' && event.subject === `task:${id}`
      if (mine && (taken(event) || event.data.state === state)) continue
      const line = lineOf(event, watched)
      if (line !== undefined) print(line)
      if (!mine) continue
      state = event.data.state
      if (isSettled(event.data as Parameters<typeof isSettled>[0])) return
    }
  }

  const over = read().catch((error: Error) => {
    if (!signal.aborted) print(`  what it does cannot be followed: ${error.message}`)
  })
  return {
    rest: async () => {
      await Promise.race([over, pause(patience, undefined, { signal }).catch(() => undefined)])
      ended.abort()
    },
    stop: () => ended.abort(),
  }
}
