import { setTimeout as pause } from 'node:timers/promises'
import { failure } from '../../base/error/fail.ts'
import type { Call } from '../io.ts'

const every = 50
const tell = 5000

/** Asks again and again until it is so. What was asked to end is not called ended before it is. */
export const until = async (
  so: () => boolean | Promise<boolean>,
  { progress }: Call,
  { seconds, what }: { seconds: number; what: () => string },
): Promise<void> => {
  const began = performance.now()
  for (let told = began; !(await so()); await pause(every)) {
    const now = performance.now()
    if (now - began > seconds * 1000) {
      throw failure('still_there', { what: what(), seconds: Math.round((now - began) / 1000) })
    }
    if (now - told > tell) {
      progress(`still waiting for ${what()} (${Math.round((now - began) / 1000)} s) …`)
      told = now
    }
  }
}
