// What passes by itself is waited for: a host that has just started still meets its agents, one that died is
// started again.
import { setTimeout as pause } from 'node:timers/promises'
import { AgencyError } from '../base/error/fail.ts'

/** How long a host may take to come back. */
const usual = 30_000
const between = 100

const isEarly = (error: unknown): boolean => error instanceof AgencyError && error.code === 'not_ready'

/** An agent that is going does not come back; a host does. */
const isPassing = (error: unknown): boolean => {
  if (!(error instanceof AgencyError)) return false
  const { code, details } = error
  return (
    isEarly(error) ||
    code === 'connection_lost' ||
    (code === 'draining' && String(details.what).startsWith('The host'))
  )
}

const again = async <T>(
  ask: () => Promise<T>,
  passes: (error: unknown) => boolean,
  patience: number,
): Promise<T> => {
  for (const late = performance.now() + patience; ; await pause(between)) {
    try {
      return await ask()
    } catch (error) {
      if (!passes(error) || performance.now() > late) throw error
    }
  }
}

/** For what must not be asked twice: only what was refused unseen is asked again. */
export const whenReady = <T>(ask: () => Promise<T>): Promise<T> => again(ask, isEarly, usual)

/** For what may be asked twice: whatever becomes of the host that was asked. */
export const throughLoss = <T>(ask: () => Promise<T>, patience = usual): Promise<T> =>
  again(ask, isPassing, patience)
