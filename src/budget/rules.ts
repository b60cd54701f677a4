// Which limits of a budget are near or reached.
import { milliseconds } from '../base/duration/rules.ts'
import type { Budget } from '../role/budget/schema.ts'
import { nothing, opened, runningFor } from './account/rules.ts'
import { type Account, type Amounts, type Measure, measures, type Scope } from './schema.ts'

/** `midnight`: when today began, where people are. */
export type Clock = { readonly now: number; readonly today: string; readonly midnight: number }

export type Level = 'free' | 'near' | 'reached'

export type Line = {
  readonly scope: Scope
  readonly measure: Measure
  readonly per?: 'day'
  readonly used: number
  readonly of: number
  readonly level: Level
}

/** Where people are warned. */
const warning = 0.8

const limitOf = (budget: Budget, measure: Measure): number | undefined => {
  if (measure !== 'wall_ms') return budget[measure]
  return budget.wall_time === undefined ? undefined : milliseconds(budget.wall_time)
}

const levelOf = (used: number, of: number): Level =>
  used >= of ? 'reached' : used >= of * warning ? 'near' : 'free'

type Window = Account['day']

const within = ({ date, used }: Window, today: string): Amounts => (date === today ? used : nothing)

/** `own`: for this agent alone, not for whoever had its name before. */
const usedOf = (account: Account, measure: Measure, own: boolean, budget: Budget, clock: Clock): number => {
  const daily = budget.per === 'day'
  const of = ({ used, day }: { used: Amounts; day: Window }): number =>
    (daily ? within(day, clock.today) : used)[measure]
  const counted = of(account) - (own && account.begun !== undefined ? of(account.begun) : 0)
  if (measure !== 'wall_ms') return counted
  const most = daily ? clock.now - clock.midnight : Number.POSITIVE_INFINITY
  const running = Object.values(account.sources).map((source) => runningFor(source, clock.now))
  return running.reduce((sum, time) => sum + Math.min(most, time), counted)
}

const moreOf = ({ raised, raisedToday }: Account, { per }: Budget, today: string): Amounts =>
  per === undefined ? raised : raisedToday === undefined ? nothing : within(raisedToday, today)

/** What is used of each limit: those of the account itself, and those that config.yaml has for its scope. */
export const linesOf = (
  scope: Scope,
  account: Account | undefined,
  limits: readonly Budget[],
  clock: Clock,
): readonly Line[] => {
  const known = account ?? opened(clock.today)
  const lines = (own: boolean) => (budget: Budget) =>
    measures.flatMap((measure): readonly Line[] => {
      const limit = limitOf(budget, measure)
      if (limit === undefined) return []
      const of = limit + moreOf(known, budget, clock.today)[measure]
      const used = Math.max(0, usedOf(known, measure, own, budget, clock))
      const per = budget.per === undefined ? {} : { per: budget.per }
      return [{ scope, measure, used, of, level: levelOf(used, of), ...per }]
    })
  return [...known.limits.flatMap(lines(true)), ...limits.flatMap(lines(false))]
}

/** Of what would be if one more run were reserved: the limit that forbids it, as it is without. */
export const forbidding = (lines: readonly Line[]): Line | undefined => {
  const found = lines.find(({ measure, used, of }) => (measure === 'runs' ? used > of : used >= of))
  return found?.measure === 'runs' ? { ...found, used: found.used - 1 } : found
}

/** The one that people should know of: reached, or nearest to that. */
export const worstOf = (lines: readonly Line[]): Line | undefined =>
  lines
    .filter(({ level }) => level !== 'free')
    .reduce<Line | undefined>(
      (worst, line) => (worst === undefined || line.used / line.of > worst.used / worst.of ? line : worst),
      undefined,
    )

/** Whether so much more could reach a limit. */
export const couldReach = (lines: readonly Line[], more: Amounts): boolean =>
  lines.some(({ measure, used, of }) => more[measure] > 0 && used + more[measure] >= of)

/** Milliseconds until time alone brings a limit nearer, as long as nobody else begins or ends. */
export const dueIn = (lines: readonly Line[], running: number): number | undefined => {
  const times = lines
    .filter(({ measure, level }) => measure === 'wall_ms' && level !== 'reached')
    .map(({ used, of, level }) => ((level === 'free' ? of * warning : of) - used) / running)
  return running === 0 || times.length === 0 ? undefined : Math.max(0, Math.min(...times))
}
