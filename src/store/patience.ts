// Waiting for other processes without stopping this one.
import { setTimeout as sleep } from 'node:timers/promises'
import { faultOf, isBusy, isEngineError } from './fault.ts'

/** Does one synchronous thing with the file, again while others are in its way, at most for `limit` ms. */
export type Patiently = <T>(work: () => T) => Promise<T>

export const patience =
  (file: string, limit: number): Patiently =>
  async (work) => {
    const start = performance.now()
    for (;;) {
      try {
        return work()
      } catch (error) {
        const waited = performance.now() - start
        if (!isEngineError(error)) throw error
        if (!isBusy(error) || waited > limit) throw faultOf(error, file, Math.round(waited / 1000))
      }
      // Uneven on purpose: processes that wait in step would meet again.
      await sleep(1 + Math.random() * 20)
    }
  }
