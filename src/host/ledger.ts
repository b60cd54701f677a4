// Writes what happens to the host and its components into the journal. The host must live on when the disk is
// full, so writing never fails the caller: facts wait in order, the trouble is shown, and it is tried again.
import type { AgencyError } from '../base/error/fail.ts'
import type { Log } from '../base/log/open.ts'
import type { Fact } from '../journal/schema.ts'
import type { Store } from '../store/store.ts'

export type Ledger = {
  record(...facts: readonly Fact[]): void
  /** Why facts are waiting; undefined if all are written. */
  trouble(): string | undefined
  /** One more attempt, then resolves whatever came of it. */
  flush(): Promise<void>
  close(): void
}

export type LedgerOptions = { readonly store: Store; readonly log: Log; readonly pause?: number }

/** A disk that stays full for days must not fill the memory too; the newest facts are the truest. */
const most = 10_000

export const ledgerOf = ({ store, log, pause = 5_000 }: LedgerOptions): Ledger => {
  let waiting: Fact[] = []
  let trouble: string | undefined
  /** Since the running attempt began. */
  let forgotten = 0
  let called = false
  let writing: Promise<void> | undefined
  let again: NodeJS.Timeout | undefined

  const write = async (): Promise<void> => {
    const facts = [...waiting]
    forgotten = 0
    try {
      await store.append(facts)
      // Of those that were written, as many as were not forgotten meanwhile.
      waiting = waiting.slice(Math.max(0, facts.length - forgotten))
      if (trouble) log.info('the journal is written again', { facts: facts.length })
      trouble = undefined
    } catch (error) {
      const { message, words } = error as AgencyError
      if (!trouble) log.error('the journal cannot be written', { reason: message })
      trouble = [message, words?.next].filter(Boolean).join(' ')
      clearTimeout(again)
      again = setTimeout(() => void flush(), pause).unref()
    }
  }

  const pump = async (): Promise<void> => {
    do await write()
    while (waiting.length > 0 && !trouble)
    writing = undefined
  }

  const flush = async (): Promise<void> => {
    if (waiting.length > 0) writing ??= pump()
    await writing
  }

  const call = (): void => {
    called = false
    void flush()
  }

  return {
    record: (...facts) => {
      waiting.push(...facts)
      const over = waiting.length - most
      if (over > 0) {
        waiting.splice(0, over)
        forgotten += over
      }
      // Not at once: what is said in one breath is kept or lost as one.
      if (!called) queueMicrotask(call)
      called = true
    },
    trouble: () => trouble,
    flush,
    close: () => clearTimeout(again),
  }
}
