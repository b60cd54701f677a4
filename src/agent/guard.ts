// Holds an agent to its budget at each of its calls. What its model has used is told a moment after the call that came
// of it: near a limit the call waits for that, so that nothing is used which a look too early would have let pass.
import type { Meter } from '../budget/meter.ts'
import { opinionOf, usedUp } from '../budget/told/rules.ts'
import type { Opinion } from '../permission/decide/schema.ts'

export type Guard = {
  /** Of a call. */
  opinion(call: string): Promise<Opinion | undefined>
  /** Of a prompt: why it may not begin. */
  limit(): string | undefined
  /** Something was counted. */
  heard(): void
}

export type GuardOptions = {
  readonly meter: Pick<Meter, 'reached' | 'couldReach'>
  /** Whether the answer that made this call is counted; absent = nobody can tell. */
  readonly isCounted?: ((call: string) => boolean) | undefined
  readonly now: () => number
  /** How long telling may take, in milliseconds. */
  readonly patience?: number
}

/** Telemetry is sent twice a second. */
const usual = 1_500

export const guardOf = ({ meter, isCounted, now, patience = usual }: GuardOptions): Guard => {
  const waiting = new Set<() => void>()
  /** When there were calls of which nobody knows whether their answers are counted: each may be of another one. */
  let recent: readonly number[] = []

  const heardNext = (): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(late)
        waiting.delete(done)
        resolve()
      }
      const late = setTimeout(done, patience)
      waiting.add(done)
    })

  const isSettled = (call: string): boolean => meter.reached() !== undefined || isCounted?.(call) === true

  const opinion: Guard['opinion'] = async (call) => {
    recent = [...recent.filter((at) => now() - at < 2 * patience), now()]
    const late = now() + patience
    while (!isSettled(call) && meter.couldReach(recent.length) && now() < late) await heardNext()
    const reached = meter.reached()
    return reached && opinionOf(reached)
  }

  return {
    opinion,
    limit: () => {
      const reached = meter.reached()
      return reached && usedUp(reached)
    },
    heard: () => {
      for (const done of [...waiting]) done()
    },
  }
}
