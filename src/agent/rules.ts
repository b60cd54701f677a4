import type { Exit } from '../keeper/schema.ts'
import { stateOf } from '../session/rules.ts'
import type { KeeperEvent, Session } from '../session/schema.ts'

/** How a session ended, as far as anybody knows. */
export type Ended = { readonly how: 'exited'; readonly exit: Exit } | { readonly how: 'lost' }

export const endEvent = (ended: Ended): KeeperEvent =>
  ended.how === 'lost'
    ? { kind: 'lost' }
    : { kind: 'exited', code: ended.exit.code, signal: ended.exit.signal }

/** The end of what was never launched. */
export const unlaunched = (at: number, iso: (at: number) => string): Ended => ({
  how: 'exited',
  exit: { launch: 1, code: null, signal: null, at: iso(at), asked: true, forced: false, left: [] },
})

/** Why the first hook of a session will not come; undefined while it may. */
export const silenceOf = (session: Session): string | undefined => {
  const state = stateOf(session)
  if (state.name === 'unsupervised') return state.why
  if (state.name === 'lost') return 'its keeper was killed'
  if (state.name !== 'exited') return undefined
  return `it ended (${state.signal ?? `exit code ${state.code ?? 'unknown'}`}) before its first hook reported`
}
