// So many at once; the others wait for their turn, in order.

export type Turns = {
  /** Resolves with how to give it back; undefined = the signal came first. */
  take(signal: AbortSignal): Promise<(() => void) | undefined>
}

export const turnsOf = (most: number): Turns => {
  let free = most
  const waiting: (() => void)[] = []
  const back = (): (() => void) => {
    let mine = true
    return () => {
      if (!mine) return
      mine = false
      const next = waiting.shift()
      // Handed over, never free in between: whoever comes now is behind.
      if (next === undefined) free += 1
      else next()
    }
  }
  const called = (signal: AbortSignal): Promise<boolean> =>
    new Promise((resolve) => {
      const next = (): void => {
        signal.removeEventListener('abort', leave)
        resolve(true)
      }
      const leave = (): void => {
        waiting.splice(waiting.indexOf(next), 1)
        resolve(false)
      }
      waiting.push(next)
      signal.addEventListener('abort', leave, { once: true })
    })
  return {
    take: async (signal) => {
      if (signal.aborted) return undefined
      if (free > 0) free -= 1
      else if (!(await called(signal))) return undefined
      return back()
    },
  }
}
