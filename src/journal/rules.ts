import type { Event, Fact, Kept, Reduce } from './schema.ts'

type Type = `${string}.${string}`

export const nounOf = (name: string): string => /^[a-z]*/.exec(name)?.[0] ?? ''

const about = (kind: Fact['kind'], type: Type, id: string, data: Fact['data']): Fact => ({
  kind,
  type,
  subject: `${nounOf(type)}:${id}`,
  data,
})

/** What decides: `fact('task.accepted', 't1', { prompt })` is about the subject `task:t1`. */
export const fact = (type: Type, id: string, data: Fact['data'] = {}): Fact => about('state', type, id, data)

/** What people may want to see, and nothing is decided by. */
export const activity = (type: Type, id: string, data: Fact['data'] = {}): Fact =>
  about('activity', type, id, data)

/** What the store must hold after these events, which come in the order of `seq` and go on from `from`. */
export const replay = (
  events: Iterable<Event>,
  reduce: (noun: string) => Reduce,
  from: ReadonlyMap<string, Kept> = new Map(),
): Map<string, Kept> => {
  const kept = new Map(from)
  for (const event of events) {
    if (event.kind === 'activity') continue
    const { seq, subject } = event
    const state = reduce(nounOf(subject))(kept.get(subject)?.state, event)
    if (state === undefined) kept.delete(subject)
    else kept.set(subject, { subject, seq, state })
  }
  return kept
}
