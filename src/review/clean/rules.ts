// Which reviews may be forgotten.
import type { Review } from '../schema.ts'

export type Sweep = {
  readonly now: number
  /** Milliseconds that one must have been left alone for; 0 = whatever the clock says. */
  readonly older: number
}

/** Why it is kept; undefined = it may go. Forgotten, a review opens nothing: its gates are as closed as before any verdict. */
export const keptFor = ({ state, changed }: Review, { now, older }: Sweep): 'open' | 'young' | undefined => {
  if (state === 'pending' || state === 'blocked') return 'open'
  return older === 0 || now - changed >= older ? undefined : 'young'
}
