import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '../../base/log/open.ts'

/** Until a disk that is full is tried again. */
export const again = 5_000

/** Does what must not be left undone: until it is stored, or the host goes. */
export const insistOn =
  (log: Log, left: () => boolean) =>
  async (id: string, work: () => Promise<void>): Promise<void> => {
    for (;;)
      try {
        return await work()
      } catch (error) {
        if (left()) return
        log.error(`what became of ${id} could not be stored yet`, { reason: (error as Error).message })
        await wait(again, undefined, { ref: false })
      }
  }
