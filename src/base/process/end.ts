// Ends a process that is still the one we mean: TERM, grace, KILL. A stranger with its pid is never signalled.
import { setTimeout as wait } from 'node:timers/promises'
import { alive, type Identity } from './identity.ts'

export type Ending = 'absent' | 'ended' | 'killed' | 'survived'

const signal = (whom: Identity, name: NodeJS.Signals): void => {
  if (!alive(whom)) return
  try {
    process.kill(whom.pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

// Polled: a process that is not our child tells nobody but its parent when it ends.
const gone = async (whom: Identity, milliseconds: number): Promise<boolean> => {
  for (const deadline = performance.now() + milliseconds; performance.now() < deadline; await wait(20)) {
    if (!alive(whom)) return true
  }
  return !alive(whom)
}

/** `survived` = still there after KILL (stuck in the kernel): say so, never call it ended. */
export const end = async (whom: Identity, { grace }: { grace: number }): Promise<Ending> => {
  if (!alive(whom)) return 'absent'
  signal(whom, 'SIGTERM')
  if (await gone(whom, grace)) return 'ended'
  signal(whom, 'SIGKILL')
  return (await gone(whom, 10_000)) ? 'killed' : 'survived'
}
