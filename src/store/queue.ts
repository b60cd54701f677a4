// Group commit. What is asked for in the same tick shares one transaction, and so one wait for the disk;
// each unit of it is still all or nothing to whoever asked, and they are done in the order of asking.
import type { Database } from './engine.ts'
import { isEngineError, isFull } from './fault.ts'
import type { Patiently } from './patience.ts'
import type { Write } from './transaction.ts'

type Outcome = { readonly value: unknown } | { readonly error: unknown }
type Unit = {
  readonly work: () => unknown
  readonly light: boolean
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}
export type Queue = {
  /** `light`: nobody waits for the disk because of it, and its work asks no rules that could refuse. */
  add<T>(work: () => T, light?: boolean): Promise<T>
  /** Until everything that was added is done. */
  idle(): Promise<void>
}

const most = 100

export const queueOf = (
  db: Database,
  write: Write,
  patiently: Patiently,
  /** Told after each commit. */
  wrote: () => void,
): Queue => {
  const waiting: Unit[] = []
  let draining: Promise<void> | undefined

  const attempt = ({ work, light }: Unit): Outcome => {
    // Nothing decides here, so nothing can fail but SQLite; and a savepoint costs more than what it would guard.
    if (light) return { value: work() }
    db.exec('savepoint unit')
    try {
      const value = work()
      db.exec('release unit')
      return { value }
    } catch (error) {
      // SQLite's own failures end the whole transaction; those of a unit's rules end only the unit.
      if (isEngineError(error)) throw error
      db.exec('rollback to unit')
      db.exec('release unit')
      return { error }
    }
  }

  const commit = async (units: readonly Unit[]): Promise<void> => {
    let outcomes: readonly Outcome[]
    try {
      const light = units.every((unit) => unit.light)
      outcomes = await patiently(() => write(() => units.map(attempt), light))
    } catch (error) {
      // What is too large for the space left must not take its neighbours along. Nothing else is tried
      // again: after any other failure the outcome may be unknown.
      if (units.length > 1 && error instanceof Error && isFull(error.cause)) {
        for (const unit of units) await commit([unit])
        return
      }
      for (const { reject } of units) reject(error)
      return
    }
    wrote()
    for (const [index, unit] of units.entries()) {
      const outcome = outcomes[index] as Outcome
      if ('error' in outcome) unit.reject(outcome.error)
      else unit.resolve(outcome.value as never)
    }
  }

  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      await new Promise(setImmediate)
      await commit(waiting.splice(0, most))
    }
    draining = undefined
  }

  return {
    add: (work, light = false) =>
      new Promise((resolve, reject) => {
        waiting.push({ work, light, resolve, reject })
        draining ??= drain()
      }),
    idle: async () => draining,
  }
}
