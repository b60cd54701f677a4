// What a signal does to a command: the first ends it and cleans up, the second waits for nothing.
import { type AgencyError, failure } from '../base/error/fail.ts'
import type { Io } from './io.ts'

/**
 * What shells answer for a command that a signal ended. `unheard` stands for SIGPIPE: to listen to that one
 * itself would let the kernel's arrive too, as a second signal.
 */
const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, unheard: 141 } as const
type Signal = keyof typeof codes
const names = Object.keys(codes) as Signal[]

export const exitOf = ({ code, details, exit }: AgencyError): number =>
  code === 'interrupted' ? (codes[details.signal as Signal] ?? codes.SIGINT) : exit

/** Nobody reads any more: nothing is left to say. */
export const isUnheard = ({ details }: AgencyError): boolean => details.signal === 'unheard'

export const interruptible = async <T>(
  work: Promise<T>,
  signals: Io['signals'],
  cleanUp: () => Promise<void>,
): Promise<T> => {
  const told: AgencyError[] = []
  const listeners: ((error: AgencyError) => void)[] = []
  const nth = (): Promise<never> => new Promise((_, reject) => listeners.push(reject))
  const [first, second] = [nth(), nth()]
  // Who loses a race below is not unhandled: the winner was the answer.
  for (const loser of [first, second, work]) loser.catch(() => undefined)
  const onSignal = (signal: Signal): void => {
    const error = failure('interrupted', { signal })
    listeners[told.push(error) - 1]?.(error)
  }
  for (const name of names) signals.on(name, onSignal)
  try {
    return await Promise.race([Promise.race([work, first]).finally(cleanUp), second])
  } finally {
    for (const name of names) signals.off(name, onSignal)
  }
}
