// Follows the journal. A broken connection is taken up again behind the last event that arrived,
// so every event comes once and in order.
import { setTimeout as wait } from 'node:timers/promises'
import { AgencyError } from '../base/error/fail.ts'
import type { Event } from '../journal/schema.ts'
import { type Client, open, settle } from './call.ts'
import { blocks } from './sse.ts'

export type EventsOptions = {
  readonly after: number
  readonly signal?: AbortSignal
  /** Milliseconds before a broken connection is tried again. */
  readonly pause?: number
}

/** Where the host cannot be reached it is tried again without end: leave it by `break` or end it by `signal`. */
export async function* events(client: Client, options: EventsOptions): AsyncGenerator<Event> {
  const { signal, pause = 500 } = options
  let { after } = options
  while (!signal?.aborted) {
    try {
      const headers = { accept: 'text/event-stream', 'last-event-id': String(after) }
      const response = await open(client, { method: 'GET', path: '/events', headers, signal })
      if (response.statusCode !== 200) await settle(response)
      for await (const { data } of blocks(response)) {
        const event = JSON.parse(data) as Event
        after = event.seq
        yield event
      }
    } catch (error) {
      // The host is going, or full of readers: both pass. What it refuses for good is for the caller.
      if (error instanceof AgencyError && error.status !== 503) throw error
    }
    await wait(pause, undefined, signal && { signal }).catch(() => {})
  }
}
