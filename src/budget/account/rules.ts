// What an account comes to.
//
// A source is a session: it only ever tells where it is, so whatever is told twice, late or by another host counts once.
// Within a run there are two ways to know that: by what was heard since the run began, and by the totals of the CLI,
// which cover all since they were told last, runs that were cut off included.
import type * as z from 'zod'
import { fact } from '../../journal/rules.ts'
import type { Event, Fact } from '../../journal/schema.ts'
import type { Account, Amounts, budgetEvents, Measure, More, Scope, Source } from '../schema.ts'

type Data<T extends keyof typeof budgetEvents> = z.infer<(typeof budgetEvents)[T]>

export const nothing: Amounts = { turns: 0, tokens: 0, cost_usd: 0, wall_ms: 0, runs: 0 }

const each = (make: (measure: Measure) => number): Amounts => ({
  turns: make('turns'),
  tokens: make('tokens'),
  // Below a billionth of a dollar there is only rounding.
  cost_usd: Math.round(make('cost_usd') * 1e9) / 1e9,
  wall_ms: make('wall_ms'),
  runs: make('runs'),
})

export const plus = (one: Amounts, other: More): Amounts => each((key) => one[key] + (other[key] ?? 0))
export const less = (one: Amounts, other: Amounts): Amounts =>
  each((key) => Math.max(0, one[key] - other[key]))
export const farthest = (one: Amounts, other: Amounts): Amounts =>
  each((key) => Math.max(one[key], other[key]))

export const opened = (day: string): Account => ({
  limits: [],
  used: nothing,
  day: { date: day, used: nothing },
  raised: nothing,
  sources: {},
})

const unknown: Source = { run: '', at: nothing, from: nothing, paid: nothing }

/** Who is not running and falls out begins again at nothing, so nothing is counted twice. */
const mostSources = 200

const withSource = (account: Account, id: string, source: Source): Account => {
  const { [id]: _before, ...others } = account.sources
  const over = Object.keys(others).filter((one) => others[one]?.since === undefined)
  const surplus = over.slice(0, Math.max(0, Object.keys(others).length + 1 - mostSources))
  const kept = Object.fromEntries(Object.entries(others).filter(([one]) => !surplus.includes(one)))
  return { ...account, sources: { ...kept, [id]: source } }
}

/** What was used before today, and is told only now, is no part of today. */
const used = (account: Account, delta: Amounts, day: string): Account => {
  const { date, used } = account.day
  const today = day === date ? { date, used: plus(used, delta) } : { date: day, used: delta }
  return { ...account, used: plus(account.used, delta), day: day < date ? account.day : today }
}

/** Another agent of the same name: only what is limited for the name itself goes on. */
const anew = (account: Account): Account => {
  const { raisedToday: _today, ...rest } = account
  return { ...rest, raised: nothing, begun: { used: account.used, day: account.day } }
}

const reserved = (was: Account | undefined, data: Data<'budget.reserved'>): Account => {
  const { run, source: id, day, at, limits, fresh, again } = data
  const before = was === undefined ? opened(day) : fresh ? anew(was) : was
  const account = limits === undefined ? before : { ...before, limits }
  const known = account.sources[id] ?? unknown
  if (known.run === run) return account
  const more = { ...nothing, runs: again ? 0 : 1 }
  const counted = plus(known.at, more)
  const source = { run, at: counted, from: counted, paid: known.paid, since: at }
  return used(withSource(account, id, source), more, day)
}

const released = (was: Account, { run, source: id, day }: Data<'budget.released'>): Account => {
  const known = was.sources[id]
  if (known?.run !== run) return was
  const one = { ...nothing, runs: 1 }
  const { since: _since, ...rest } = known
  const account = withSource(was, id, {
    ...rest,
    run: '',
    at: less(known.at, one),
    from: less(known.from, one),
  })
  const { date, used: today } = account.day
  return {
    ...account,
    used: less(account.used, one),
    day: { date, used: date === day ? less(today, one) : today },
  }
}

const counted = (was: Account, data: Data<'budget.counted'>): Account => {
  const known = was.sources[data.source] ?? unknown
  // Runs are reserved, never counted.
  const at = { ...farthest(known.at, data.at), runs: known.at.runs }
  const { since, ...rest } = known
  const running = since === undefined || data.over ? {} : { since }
  const source = { ...rest, at, paid: data.paid ? at : known.paid, ...running }
  return used(withSource(was, data.source, source), less(at, known.at), data.day)
}

const raised = (was: Account, { more, day }: Data<'budget.raised'>): Account => {
  const today = was.raisedToday?.date === day ? was.raisedToday.used : nothing
  return { ...was, raised: plus(was.raised, more), raisedToday: { date: day, used: plus(today, more) } }
}

export const reduceAccount = (
  was: Account | undefined,
  event: Pick<Event, 'type' | 'data'>,
): Account | undefined => {
  const { type, data } = event
  switch (type) {
    case 'budget.reserved':
      return reserved(was, data as Data<'budget.reserved'>)
    case 'budget.released':
      return was && released(was, data as Data<'budget.released'>)
    case 'budget.counted':
      return counted(was ?? opened((data as Data<'budget.counted'>).day), data as Data<'budget.counted'>)
    case 'budget.limited':
      return { ...(was ?? opened('1970-01-01')), limits: (data as Data<'budget.limited'>).limits }
    case 'budget.raised':
      return raised(was ?? opened((data as Data<'budget.raised'>).day), data as Data<'budget.raised'>)
    default:
      return was
  }
}

export const budgetFact = <T extends keyof typeof budgetEvents>(type: T, scope: Scope, data: Data<T>): Fact =>
  fact(type, scope, data)

/** How far a source is when this was heard of it since its run began. */
export const sinceStart = (source: Source | undefined, since: More): Amounts => {
  const { at, from } = source ?? unknown
  return farthest(at, plus(from, since))
}

/** … when the CLI says that this was used since it told its totals last. */
export const sincePaid = (source: Source | undefined, since: More): Amounts => {
  const { at, paid } = source ?? unknown
  return farthest(at, plus(paid, since))
}

export const runningFor = ({ since, from, at }: Source, now: number): number =>
  since === undefined ? 0 : Math.max(0, from.wall_ms + now - since - at.wall_ms)

export const withTime = (source: Source | undefined, at: Amounts, now: number): Amounts =>
  source === undefined ? at : { ...at, wall_ms: source.at.wall_ms + runningFor(source, now) }
