import { forgetFact, forgettable } from '../session/forget/rules.ts'
import { sessionNames } from '../session/gc/look.ts'
import type { SessionRecord } from '../session/record/schema.ts'
import type { Store } from '../store/store.ts'
import { removeSnapshots } from '../worktree/vault.ts'

/** Forgets sessions that cannot be resumed any more; returns how many. */
export const forgetSessions = async (root: string, store: Store): Promise<number> => {
  const { kept } = await store.list('session')
  // Read after the records: a directory that was made meanwhile is only one more that stays.
  const there = new Set(await sessionNames(root))
  const sessions = kept.map(({ subject, state }) => ({
    id: subject.slice('session:'.length),
    record: state as SessionRecord,
  }))
  const forgotten = forgettable(sessions, there)
  const facts = forgotten.map(forgetFact)
  await store.append(facts)
  for (const { id } of forgotten) await removeSnapshots({ root, session: id })
  return facts.length
}
