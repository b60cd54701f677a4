// What a task does, line by line, as the journal tells it. Only for people to read: nothing is decided by it.
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '../../client/call.ts'
import { events } from '../../client/events.ts'
import { isSettled, lineOf, type Watched } from './told/rules.ts'

export type Following = {
  /** Resolves when all of it was told, or it takes too long to hear the rest. */
  rest(): Promise<void>
  stop(): void
}

/** How long the last lines may take to arrive behind the outcome. */
const patience = 5_000

export const follow = (
  client: Client,
  watched: Watched,
  after: number,
  print: (line: string) => void,
): Following => {
  const ended = new AbortController()
  const { signal } = ended

  const read = async (): Promise<void> => {
    let state: unknown
    for await (const event of events(client, { after, signal })) {
      const mine = event.type === 'task.changed' && event.subject === `task:${watched.task}`
      if (mine && event.data.state === state) continue
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
