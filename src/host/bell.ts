// Tells readers that the journal has grown. It carries nothing: each reader looks for itself, at its own pace.
import type { Store } from '../store/store.ts'

export type Bell = {
  ring(): void
  /** Resolves at the next ring. Ask before looking, or a ring in between is missed. */
  next(): Promise<void>
}

export const bellOf = (): Bell => {
  let resolve: () => void = () => {}
  const fresh = (): Promise<void> =>
    new Promise((done) => {
      resolve = done
    })
  let waiting = fresh()
  return {
    ring: () => {
      resolve()
      waiting = fresh()
    },
    next: () => waiting,
  }
}

/** The same store; each write rings. */
export const ringing = (store: Store, bell: Bell): Store => {
  const then = <T>(written: Promise<T>): Promise<T> => written.finally(bell.ring)
  return {
    ...store,
    transact: (subject, decide) => then(store.transact(subject, decide)),
    append: (facts) => then(store.append(facts)),
  }
}
