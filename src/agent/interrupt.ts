// Ends the turn of a terminal agent whose budget is used up. Its next call is refused, which ends the turn by itself; a
// turn that makes none, because its model thinks or its tool runs for long, is interrupted as a person would do it.
import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '../base/log/open.ts'
import type { Driver } from '../driver/driver.ts'
import type { Keeper } from '../keeper/reach.ts'
import type { Session, Signal } from '../session/schema.ts'

export type InterruptOptions = {
  readonly agent: string
  readonly keeper: () => Keeper
  readonly driver: Pick<Driver, 'stop'>
  readonly session: () => Session
  /** Whether it still has to end. */
  readonly due: () => boolean
  /** Refuses what the turn waits for people with, and so ends it; returns how much that was. */
  readonly dismiss: (why: string) => number
  readonly tell: (signal: Signal) => void
  readonly log: Log
}

export type Interrupt = {
  /** Something has changed. */
  look(): void
  close(): void
}

/** A turn that is about to end by itself has ended by then. */
const patience = 3_000
/** An interrupted turn may take this long to end. Sooner, a second Esc could open a menu of an agent that is idle. */
const again = 15_000
const soon = 200

export const interruptOf = (options: InterruptOptions): Interrupt => {
  const { agent, keeper, driver, session, due, dismiss, tell, log } = options
  let [busy, closed] = [false, false]
  let times = 0

  const isDue = (): boolean => !closed && session().turn !== undefined && due()

  /** Milliseconds until the turn should be over. */
  const press = async (): Promise<number> => {
    const { stamp, hooksWaiting } = await keeper().status()
    if (!isDue()) return 0
    if (hooksWaiting > 0) return dismiss('the budget of the agent is used up') > 0 ? again : soon
    const { turn, launchedAt } = session()
    // A turn in doubt is ending already.
    if (session().doubt !== undefined) return soon
    const key = `budget ${launchedAt} ${turn?.id ?? turn?.since} ${times}`
    const { typed } = await keeper().type({ key, stamp, steps: [Buffer.from(driver.stop.interrupt.keys)] })
    if (typed === 'refused') return soon
    times += 1
    tell({ from: 'keeper', event: { kind: 'typed', key: 'escape' } })
    return again
  }

  const run = async (): Promise<void> => {
    await wait(patience, undefined, { ref: false })
    while (isDue()) {
      const pause = await press().catch((error: Error) => {
        log.warn('a turn could not be interrupted yet', { agent, reason: error.message })
        return 1_000
      })
      for (let left = pause; left > 0 && isDue(); left -= soon) await wait(soon, undefined, { ref: false })
    }
  }

  return {
    look: () => {
      if (busy || !isDue()) return
      busy = true
      void run().then(() => {
        busy = false
      })
    },
    close: () => {
      closed = true
    },
  }
}
