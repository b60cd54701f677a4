// Somebody who reads the journal over the API all the time, whatever happens to the host.
import { hostSocket } from '../src/client/address.ts'
import { events } from '../src/client/events.ts'
import type { Event } from '../src/journal/schema.ts'

export type Follower = {
  /** What was delivered, in the order it came. */
  readonly delivered: () => readonly Event[]
  /** Resolves when, from now on, `count` events of this kind have come. */
  next(fits: (event: Event) => boolean, count: number): Promise<void>
  close(): Promise<void>
}

const patience = 90_000

export const follow = async (root: string): Promise<Follower> => {
  const { path: socket } = await hostSocket(root)
  const delivered: Event[] = []
  const watches = new Set<(event: Event) => void>()
  const over = new AbortController()
  const reading = (async () => {
    for await (const event of events({ socket }, { after: 0, signal: over.signal, pause: 20 })) {
      delivered.push(event)
      for (const watch of watches) watch(event)
    }
  })()
  return {
    delivered: () => delivered,
    next: (fits, count) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('the journal does not go on')), patience)
        let left = count
        const watch = (event: Event): void => {
          if (!fits(event)) return
          left -= 1
          if (left > 0) return
          watches.delete(watch)
          clearTimeout(timer)
          resolve()
        }
        watches.add(watch)
      }),
    close: async () => {
      over.abort()
      await reading
    },
  }
}
