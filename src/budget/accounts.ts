// All accounts of a root, in the memory of its one host; each change is a fact.
import { activity } from '../journal/rules.ts'
import type { Fact } from '../journal/schema.ts'
import type { Budget } from '../role/budget/schema.ts'
import { budgetFact, nothing, reduceAccount, withTime } from './account/rules.ts'
import { clockAt } from './clock.ts'
import { type Clock, dueIn, type Line, linesOf } from './rules.ts'
import { type Account, type Amounts, measures, type RootBudget, type Scope, type Source } from './schema.ts'
import { scopeOf } from './scope/rules.ts'
import { lineText, nameOf } from './told/rules.ts'

export type AccountsOptions = {
  readonly known: Iterable<readonly [Scope, Account]>
  readonly record: (...facts: readonly Fact[]) => void
  readonly now: () => number
  /** Of config.yaml. */
  readonly limits: readonly RootBudget[]
}

export type Counting = {
  readonly source: string
  /** Where the source is now. */
  readonly to: (source: Source | undefined) => Amounts
  readonly flags?: { readonly paid?: true; readonly over?: true }
  readonly at?: number | undefined
}

export type Accounts = {
  readonly clock: () => Clock
  get(scope: Scope): Account | undefined
  /** Those with an account or a limit. */
  scopes(): readonly Scope[]
  isLimited(scope: Scope): boolean
  lines(scopes: readonly Scope[]): readonly Line[]
  /** What the lines would be. */
  foresee(facts: readonly Fact[]): readonly Line[]
  put(facts: readonly Fact[]): void
  count(scopes: readonly Scope[], counting: Counting): void
  /** Called when a limit becomes near, is reached, or is so no more; returns how to stop. */
  watch(see: () => void): () => void
  close(): void
}

/** How often time that passes is written down. */
const tickMs = 60_000

const scopeIn = ({ subject }: Fact): Scope => subject.slice('budget:'.length)

export const accountsOf = ({ known, record, now, limits }: AccountsOptions): Accounts => {
  const all = new Map<Scope, Account>(known)
  const told = new Map<string, Pick<Line, 'level' | 'of'>>()
  const watchers = new Set<() => void>()
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const clock = (): Clock => clockAt(now())
  const rootLimits = (scope: Scope): readonly Budget[] => limits.filter((one) => scopeOf(one) === scope)
  const isLimited = (scope: Scope): boolean =>
    (all.get(scope)?.limits ?? []).length > 0 || rootLimits(scope).length > 0
  const scopes = (): readonly Scope[] => [...new Set([...all.keys(), ...limits.map(scopeOf)])].sort()
  const lines: Accounts['lines'] = (wanted) => {
    const at = clock()
    return wanted.flatMap((scope) => linesOf(scope, all.get(scope), rootLimits(scope), at))
  }

  const running = (scope: Scope): readonly string[] =>
    Object.entries(all.get(scope)?.sources ?? {}).flatMap(([id, { since }]) =>
      since === undefined ? [] : [id],
    )
  const timed = (): readonly Scope[] =>
    scopes().filter((scope) => running(scope).length > 0 && lines([scope]).some(isTime))
  const isTime = ({ measure }: Line): boolean => measure === 'wall_ms'

  const arm = (): void => {
    clearTimeout(timer)
    const due = timed().map((scope) => dueIn(lines([scope]), running(scope).length) ?? tickMs)
    if (!closed && due.length > 0)
      timer = setTimeout(tick, Math.min(Math.max(10, Math.min(...due) + 5), tickMs)).unref()
  }

  /** Each limit is told once as it becomes near, and once as it is reached. */
  const look = (wanted: readonly Scope[], quiet = false): void => {
    let moved = false
    for (const [place, line] of wanted.flatMap((scope) => [...lines([scope]).entries()])) {
      const { scope, measure, per, used, of, level } = line
      const key = `${scope} ${place}`
      const before = told.get(key) ?? { level: 'free', of }
      told.set(key, { level, of })
      if (quiet || (level === before.level && of === before.of)) continue
      moved = true
      const data = { limit: nameOf(measure), used, of, ...(per && { per }), text: lineText(line) }
      if (level === 'near' && (before.level === 'free' || of !== before.of))
        record(activity('budget.warned', scope, data))
      if (level === 'reached') record(activity('budget.reached', scope, data))
    }
    arm()
    if (moved) for (const see of [...watchers]) see()
  }

  const put: Accounts['put'] = (facts) => {
    for (const fact of facts) {
      const after = reduceAccount(all.get(scopeIn(fact)), fact)
      if (after !== undefined) all.set(scopeIn(fact), after)
    }
    if (facts.length > 0) record(...facts)
    look([...new Set(facts.map(scopeIn))])
  }

  const counted = (scope: Scope, { source, to, flags = {}, at = now() }: Counting): readonly Fact[] => {
    const before = all.get(scope)?.sources[source]
    const here = withTime(before, to(before), at)
    const same = measures.every((measure) => here[measure] === (before?.at ?? nothing)[measure])
    if (same && flags.paid === undefined && flags.over === undefined) return []
    return [budgetFact('budget.counted', scope, { source, day: clockAt(at).today, at: here, ...flags })]
  }

  const tick = (): void => {
    const wanted = timed()
    const still = (source: Source | undefined): Amounts => source?.at ?? nothing
    put(wanted.flatMap((scope) => running(scope).flatMap((source) => counted(scope, { source, to: still }))))
    look(wanted)
  }

  look(scopes(), true)
  return {
    clock,
    get: (scope) => all.get(scope),
    scopes,
    isLimited,
    lines,
    foresee: (facts) => {
      const at = clock()
      return facts.flatMap((fact) => {
        const scope = scopeIn(fact)
        return linesOf(scope, reduceAccount(all.get(scope), fact), rootLimits(scope), at)
      })
    },
    put,
    count: (wanted, counting) => put(wanted.flatMap((scope) => counted(scope, counting))),
    watch: (see) => {
      watchers.add(see)
      return () => watchers.delete(see)
    },
    close: () => {
      closed = true
      clearTimeout(timer)
    },
  }
}
