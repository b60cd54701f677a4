// How often this process was told to end.
import type { Call } from '../io.ts'

export type Told = {
  times(): number
  /** Resolves when it is told more often than that, or after so many milliseconds. */
  moreThan(times: number, milliseconds: number): Promise<void>
}

const names = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** From here on, until the command ends. */
export const listenForEnd = ({ io, defer }: Pick<Call, 'io' | 'defer'>): Told => {
  let times = 0
  let wake = (): void => {}
  const onSignal = (): void => {
    times += 1
    wake()
  }
  for (const name of names) io.signals.on(name, onSignal)
  defer(() => {
    for (const name of names) io.signals.off(name, onSignal)
  })
  return {
    times: () => times,
    moreThan: (before, milliseconds) =>
      new Promise((resolve) => {
        if (times > before) return resolve()
        const timer = setTimeout(resolve, milliseconds)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      }),
  }
}
