import { activity, fact } from '../../journal/rules.ts'
import type { Event, Fact } from '../../journal/schema.ts'
import { stateOf } from '../rules.ts'
import type { Session, SessionState } from '../schema.ts'
import type { KeptState, SessionRecord } from './schema.ts'

type Launched = Omit<SessionRecord, 'launched' | 'state' | 'since'>

export const launchFact = (id: string, data: Launched): Fact => fact('session.launched', id, data)

/** Which tool runs changes several times a second: that is activity, and not kept. */
const keptOf = (state: SessionState): KeptState => (state.name === 'working' ? { name: 'working' } : state)

const differs = (one: unknown, other: unknown): boolean => JSON.stringify(one) !== JSON.stringify(other)

/** What the journal is told of a signal: a fact, an activity, or nothing. */
export const changeOf = (before: Session, after: Session): Fact | undefined => {
  const [was, is] = [stateOf(before), stateOf(after)]
  const { turns, usage } = after
  if (differs(keptOf(was), keptOf(is)))
    return fact('session.changed', after.id, { state: keptOf(is), turns, usage })
  return differs(was, is) ? activity('session.doing', after.id, { state: is }) : undefined
}

export const reduceSession = (was: SessionRecord | undefined, event: Event): SessionRecord | undefined => {
  const { type, data, at } = event
  if (type === 'session.launched')
    return { ...(data as Launched), launched: at, state: { name: 'starting' }, since: at }
  if (type === 'session.changed')
    return was && { ...was, ...(data as Pick<SessionRecord, 'state' | 'turns' | 'usage'>), since: at }
  // Written by a newer version: what this one does not know changes nothing.
  return was
}

/** What was going on when the host went away; the hooks that waited for it are told again and correct this. */
const resumed = (state: KeptState, since: number): Partial<Session> => {
  const { tool = '', what = '', next = '', approval } = state
  if (state.name === 'working') return { turn: { since, answered: true } }
  if (state.name === 'blocked') {
    const waiting = { tool, by: 'person' as const, ...(approval === undefined ? {} : { approval }) }
    return { turn: { since, answered: true }, waiting: [waiting] }
  }
  if (state.name === 'limited')
    return { limit: { what, since, until: state.until ?? since, sure: state.sure ?? false } }
  if (state.name === 'error') return { trouble: { what, next, since } }
  return state.name === 'unsupervised' ? { unsupervised: state.why ?? 'unknown' } : {}
}

/**
 * A session whose keeper outlived the host. The keeper saw every hook: `asked` are the calls it heard of, or
 * their ends would look like escapes from supervision. `since` is the record's, in milliseconds: an agent that was
 * idle all the time is in the same idle period.
 */
export const recovered = (
  born: Session,
  record: SessionRecord,
  { asked, since }: { readonly asked: readonly string[]; readonly since: number },
): Session => ({
  ...born,
  since,
  started: record.state.name !== 'starting',
  asked: [...asked],
  turns: record.turns,
  usage: record.usage,
  ...resumed(record.state, since),
})
