/** What an AbortController is, for what happens with every hook: that one costs as much as the rest of a question. */
export type Stop = {
  readonly stopped: () => boolean
  /** Told once, when it stops. */
  on(hear: () => void): void
  off(hear: () => void): void
}

export const stopping = (): Stop & { stop(): void } => {
  const listeners = new Set<() => void>()
  let stopped = false
  return {
    stopped: () => stopped,
    on: (hear) => void listeners.add(hear),
    off: (hear) => void listeners.delete(hear),
    stop: () => {
      if (stopped) return
      stopped = true
      const all = [...listeners]
      listeners.clear()
      for (const hear of all) hear()
    },
  }
}

/** Cut short by the end, which whoever waits then sees. */
export const waitFor = (milliseconds: number, stop: Stop): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      stop.off(done)
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    if (stop.stopped()) done()
    else stop.on(done)
  })
