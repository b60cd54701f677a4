import { activity, fact } from '../../journal/rules.ts'
import type { Event, Fact } from '../../journal/schema.ts'
import { stateOf } from '../rules.ts'
import type { Session, SessionState } from '../schema.ts'
import { reduceSwitch } from '../switch/rules.ts'
import type { KeptState, SessionRecord } from './schema.ts'

type Launched = Omit<SessionRecord, 'launched' | 'state' | 'since' | 'switching'>

export const launchFact = (id: string, data: Launched): Fact => fact('session.launched', id, data)

/**
 * Which tool runs changes several times a second: that is activity, and not kept. Which turn runs is: a host that
 * comes later could not tell a message behind it from one that begins the next.
 */
const keptOf = (state: SessionState, { turn }: Session): KeptState => {
  const running = turn?.id === undefined ? {} : { turn: turn.id }
  if (state.name === 'working') return { name: 'working', ...running }
  return state.name === 'blocked' ? { ...state, ...running } : state
}

const differs = (one: unknown, other: unknown): boolean =>
  one !== other && JSON.stringify(one) !== JSON.stringify(other)

type Progress = Pick<SessionRecord, 'turns' | 'usage' | 'ended' | 'counted'>

/** More than a host that was away can be told again. */
const most = { turns: 20, requests: 10 }

/**
 * What the journal is told of a signal: a fact, an activity, or nothing. `id` is that of the launch, also when the CLI
 * has begun another conversation since.
 */
export const changeOf = (id: string, before: Session, after: Session): Fact | undefined => {
  const [was, is] = [stateOf(before), stateOf(after)]
  const { turns, usage } = after
  const paid = differs(before.usage, usage)
  const progress = {
    turns,
    usage,
    ended: after.ended.slice(-most.turns),
    ...(paid && { counted: after.counted.slice(-most.requests) }),
  }
  const kept = keptOf(is, after)
  if (differs(keptOf(was, before), kept)) return fact('session.changed', id, { state: kept, ...progress })
  if (paid) return fact('session.spent', id, progress)
  return differs(was, is) ? activity('session.doing', id, { state: is }) : undefined
}

export const reduceSession = (was: SessionRecord | undefined, event: Event): SessionRecord | undefined => {
  const { type, data, at } = event
  if (type === 'session.launched')
    return {
      ...(data as Launched),
      launched: at,
      state: { name: 'starting' },
      since: at,
      // Launched for it, it is under way until that has reported.
      ...(was?.switching && { switching: was.switching }),
    }
  if (type === 'session.changed')
    return was && { ...was, ...(data as Progress & Pick<SessionRecord, 'state'>), since: at }
  if (type === 'session.spent') return was && { ...was, ...(data as Progress) }
  if (type === 'session.forgotten') return undefined
  // What it does not know either was written by a newer version, and changes nothing.
  return reduceSwitch(was, event)
}

/** What was going on when the host went away; the hooks that waited for it are told again and correct this. */
const resumed = (state: KeptState, since: number): Partial<Session> => {
  const { tool = '', what = '', next = '', approval } = state
  // Whether it has shown anything is not known; if so, the transcript tells of an Esc before the doubt does.
  const turn = {
    since,
    answered: state.name === 'blocked',
    ...(state.turn === undefined ? {} : { id: state.turn }),
  }
  if (state.name === 'working') return { turn }
  if (state.name === 'blocked') {
    const waiting = { tool, by: 'person' as const, ...(approval === undefined ? {} : { approval }) }
    return { turn, waiting: [waiting] }
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
  // What was told to the host before may be told again, and must not count twice.
  ended: [...(record.ended ?? [])],
  counted: [...(record.counted ?? [])],
  turns: record.turns,
  usage: record.usage,
  ...resumed(record.state, since),
})
