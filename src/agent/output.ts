import type { Keeper } from '../keeper/reach.ts'

const pause = 5_000

/** All that is known of an unmanaged agent is when it last printed. Returns how to stop looking. */
export const watchOutput = (keeper: () => Keeper, printed: () => void): (() => void) => {
  let last = 0
  const timer = setInterval(async () => {
    // A line that is down is taken up again elsewhere.
    const status = await keeper()
      .status()
      .catch(() => undefined)
    const to = status?.output.terminal?.to ?? last
    if (to !== last) printed()
    last = to
  }, pause)
  timer.unref()
  return () => clearInterval(timer)
}
