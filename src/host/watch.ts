// Readers of the journal as it grows. A reader is only a place in the journal: nothing is buffered for it,
// so a slow one costs nobody anything and misses nothing.
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { fail } from '../base/error/fail.ts'
import type { Event } from '../journal/schema.ts'
import type { Store } from '../store/store.ts'
import type { Bell } from './bell.ts'
import type { Pour } from './http/route.ts'

export type Watch = {
  /** Throws if there are too many readers already. */
  from(after: number): Pour
  /** Ends every reader, now and from now on. */
  end(): void
}

export type WatchOptions = {
  readonly store: Store
  readonly bell: Bell
  readonly most?: number
  /** Milliseconds between signs of life, so that both ends notice a dead connection. */
  readonly beat?: number
}

/** Events may be large; a page is all that is in memory for one reader. */
const pageSize = 32

const frame = (event: Event): string => `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

/** Until the reader has taken what was written, or is gone. */
const taken = async (response: ServerResponse, gone: AbortSignal): Promise<void> => {
  // An abort is an answer here, not an error: the caller looks at the signal.
  await once(response, 'drain', { signal: gone }).catch(() => {})
}

export const watchOf = ({ store, bell, most = 64, beat = 15_000 }: WatchOptions): Watch => {
  const readers = new Set<AbortController>()
  let over = false

  const follow = async (response: ServerResponse, start: number, gone: AbortSignal): Promise<void> => {
    const left = new Promise<void>((resolve) =>
      gone.addEventListener('abort', () => resolve(), { once: true }),
    )
    let after = start
    // The bell is asked for before the store is read: an event in between rings it.
    while (!gone.aborted) {
      const rung = bell.next()
      const page = await store.events({ after, limit: pageSize })
      if (gone.aborted) return
      after = page.at(-1)?.seq ?? after
      if (page.length === 0) await Promise.race([rung, left])
      else if (!response.write(page.map(frame).join(''))) await taken(response, gone)
    }
  }

  return {
    from: (after) => {
      if (readers.size >= most) fail('too_many_watchers', { limit: most })
      const reader = new AbortController()
      readers.add(reader)
      return async (response) => {
        response.once('close', () => reader.abort())
        response.writeHead(200, headers)
        response.write(':\n\n')
        const pulse = setInterval(() => response.writableNeedDrain || response.write(':\n\n'), beat)
        if (over || response.destroyed) reader.abort()
        try {
          await follow(response, after, reader.signal)
        } finally {
          clearInterval(pulse)
          readers.delete(reader)
          response.end()
        }
      }
    },
    end: () => {
      over = true
      for (const reader of readers) reader.abort()
    },
  }
}
