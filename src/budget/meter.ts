// What one session uses, in all accounts that have a limit for it.
import { budgetFact, farthest, less, nothing, plus, sincePaid, sinceStart } from './account/rules.ts'
import type { Accounts, Counting } from './accounts.ts'
import { couldReach, type Line, worstOf } from './rules.ts'
import { type Amounts, type Measure, type More, measures, type Scope, type Source } from './schema.ts'
import { type Owner, scopesOf } from './scope/rules.ts'

type Spent = Pick<More, 'turns' | 'tokens' | 'cost_usd'>

export type Meter = {
  /** So much more. */
  add(spent: Spent): void
  /** All since its run began. */
  since(spent: Spent): void
  /** What is known of its run. */
  counted(): Amounts
  /** All since the CLI told its totals last. */
  paid(spent: Spent): void
  /** A limit of what runs that is reached, or else one that is near. */
  worst(): Line | undefined
  reached(): Line | undefined
  /** … of what would run next: another launch may be one too many. */
  next(): Line | undefined
  /** Whether a limit hangs on what its model uses. */
  countsAnswers(): boolean
  /** Whether so many answers, each as large as the largest so far, could reach a limit. */
  couldReach(answers: number): boolean
  /** What is left of it; undefined = it has no limit. */
  left(measure: Measure): number | undefined
  /** Its run has ended, perhaps a while ago. */
  over(at?: number): void
  /** It was never launched. */
  release(): void
}

const atOf = (source: Source | undefined): Amounts => source?.at ?? nothing

export const meterOf = (accounts: Accounts, owner: Owner, source: string): Meter => {
  let largest: Amounts = { ...nothing, turns: 1 }
  const held = (): readonly Scope[] => scopesOf(owner).filter(accounts.isLimited)
  const lines = (): readonly Line[] => accounts.lines(held())
  const running = (): readonly Line[] => lines().filter(({ measure }) => measure !== 'runs')
  const here = (): Amounts => {
    const [scope] = held()
    return atOf(scope === undefined ? undefined : accounts.get(scope)?.sources[source])
  }
  const count = (to: Counting['to'], more: Omit<Counting, 'source' | 'to'> = {}): void => {
    const before = here()
    accounts.count(held(), { source, to, ...more })
    largest = farthest(largest, less(here(), before))
  }
  return {
    add: (spent) => count((known) => plus(atOf(known), spent)),
    since: (spent) => count((known) => sinceStart(known, spent)),
    counted: () => {
      const [scope] = held()
      const known = scope === undefined ? undefined : accounts.get(scope)?.sources[source]
      return known === undefined ? nothing : less(known.at, known.from)
    },
    paid: (spent) =>
      accounts.count(held(), { source, to: (known) => sincePaid(known, spent), flags: { paid: true } }),
    worst: () => worstOf(running()),
    reached: () => running().find(({ level }) => level === 'reached'),
    next: () => worstOf(lines()),
    countsAnswers: () => running().some(({ measure }) => measure !== 'wall_ms'),
    couldReach: (answers) => {
      // Before the first one is counted nobody knows how large they are.
      const each = (measure: Measure): number =>
        largest[measure] === 0 && (measure === 'tokens' || measure === 'cost_usd')
          ? Number.POSITIVE_INFINITY
          : largest[measure]
      const more = measures.map((measure) => [measure, answers === 0 ? 0 : answers * each(measure)])
      return couldReach(lines(), Object.fromEntries(more) as Amounts)
    },
    left: (wanted) => {
      const rests = lines()
        .filter(({ measure }) => measure === wanted)
        .map(({ used, of }) => Math.max(0, of - used))
      return rests.length === 0 ? undefined : Math.min(...rests)
    },
    over: (at) => accounts.count(held(), { source, to: atOf, flags: { over: true }, at }),
    release: () => {
      const day = accounts.clock().today
      accounts.put(
        held().flatMap((scope) => {
          const run = accounts.get(scope)?.sources[source]?.run ?? ''
          return run === '' ? [] : [budgetFact('budget.released', scope, { run, source, day })]
        }),
      )
    },
  }
}
