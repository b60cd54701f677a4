// What is known of a session as signals arrive: the pure rules, with a clock and the journal.
import type { Fact } from '../journal/schema.ts'
import { changeOf } from '../session/record/rules.ts'
import { deadline, hear } from '../session/rules.ts'
import type { Session, Signal } from '../session/schema.ts'

export type Hearing = {
  readonly session: () => Session
  tell(signal: Signal): void
  close(): void
}

export type HearingOptions = {
  readonly born: Session
  /** The journal keeps it under the id of its launch, also when the CLI has begun another conversation. */
  readonly subject: string
  readonly now: () => number
  readonly record: (...facts: readonly Fact[]) => void
  /** Told first, with what was known before. */
  readonly hearing: (signal: Signal, before: Session) => void
  readonly changed: (session: Session, before: Session) => void
}

/** Longer, and a timer overflows and fires at once. */
const longest = 2 ** 30

export const hearingOf = ({ born, subject, now, record, hearing, changed }: HearingOptions): Hearing => {
  let session = born
  let timer: NodeJS.Timeout | undefined

  const arm = (): void => {
    clearTimeout(timer)
    const next = deadline(session)
    if (next === undefined) return
    const left = Math.min(Math.max(next - now(), 0), longest)
    timer = setTimeout(() => tell({ from: 'clock' }), left)
    timer.unref()
  }

  const tell = (signal: Signal): void => {
    const before = session
    hearing(signal, before)
    session = hear(session, signal, now())
    const fact = changeOf(subject, before, session)
    if (fact !== undefined) record(fact)
    arm()
    changed(session, before)
  }

  arm()
  return { session: () => session, tell, close: () => clearTimeout(timer) }
}
