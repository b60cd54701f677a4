// The budgets of a root. A run is checked and reserved in one breath, before anything is launched: of two launches for
// which there is room for one, the second finds it taken.
import { fail, failure } from '../base/error/fail.ts'
import type { Budget } from '../role/budget/schema.ts'
import type { Store } from '../store/store.ts'
import { budgetFact } from './account/rules.ts'
import { type AccountsOptions, accountsOf } from './accounts.ts'
import { type Meter, meterOf } from './meter.ts'
import { forbidding, type Line } from './rules.ts'
import { type Account, type More, measures, type Scope } from './schema.ts'
import { type Owner, scopesOf } from './scope/rules.ts'
import { adviceOf, lineText, nameOf, whose } from './told/rules.ts'

export type Reserving = Owner & {
  /** The session. */
  readonly source: string
  /** Never reserved twice. */
  readonly run: string
  /** Of the agent, from its role and its file. */
  readonly limits: readonly Budget[]
  /** A new agent, whatever one of the same name has used. */
  readonly fresh?: boolean | undefined
  /** Its process is replaced, by people: that is no run of its own. */
  readonly again?: boolean | undefined
}

export type Budgets = {
  /** Resolves when it is stored; refused where a limit is reached. */
  reserve(reserving: Reserving): Promise<Meter>
  /** Of a run that was reserved. */
  meter(owner: Owner, source: string): Meter
  lines(): readonly Line[]
  /** What an agent is held to. */
  linesOf(agent: string): readonly Line[]
  raise(scope: Scope, more: More, by: string): Promise<readonly Line[]>
  /** What a pod may use is said when it is launched, what a headless agent may when its host starts. */
  limit(scope: Scope, limits: readonly Budget[]): Promise<void>
  /** Called when a limit becomes near, is reached, or is so no more; returns how to stop. */
  watch(see: () => void): () => void
  close(): void
}

export type BudgetsOptions = Pick<AccountsOptions, 'record' | 'now' | 'limits'> & {
  readonly store: Store
  /** Resolves when what was recorded is on the disk; false = it is not. */
  readonly written: () => Promise<boolean>
}

export const exceeded = (line: Line) =>
  failure('budget_exceeded', { who: whose(line.scope), line: lineText(line), raise: adviceOf(line) })

export const openBudgets = async (options: BudgetsOptions): Promise<Budgets> => {
  const { store, written } = options
  const { kept } = await store.list('budget')
  const known = kept.map(({ subject, state }) => [subject.slice('budget:'.length), state as Account] as const)
  const accounts = accountsOf({ ...options, known })

  /** Which role and pod an agent has is known from its last session on. */
  const owners = new Map<string, Owner>()
  const meterFor = (owner: Owner, source: string): Meter => {
    owners.set(owner.agent, owner)
    return meterOf(accounts, owner, source)
  }

  const stored = async (what: string): Promise<void> => {
    if (!(await written())) throw failure('not_stored', { what })
  }

  const reserve: Budgets['reserve'] = async ({ source, run, limits, fresh, again, ...owner }) => {
    const { now: at, today: day } = accounts.clock()
    const given = limits.filter((one) => Object.keys(one).length > 0)
    const facts = scopesOf(owner).flatMap((scope) => {
      const own = scope === `agent/${owner.agent}`
      // One that had limits before, and has none now, has to lose them.
      const counts = accounts.isLimited(scope) || (own && given.length > 0)
      const mine = own ? { limits: [...given], ...(fresh && { fresh: true as const }) } : {}
      const told = { run, source, day, at, ...mine, ...(again && { again: true as const }) }
      return counts ? [budgetFact('budget.reserved', scope, told)] : []
    })
    const beyond = forbidding(accounts.foresee(facts))
    if (beyond !== undefined) throw exceeded(beyond)
    accounts.put(facts)
    const meter = meterFor(owner, source)
    try {
      if (facts.length > 0) await stored(`the run of "${owner.agent}"`)
    } catch (error) {
      if (again) meter.over()
      else meter.release()
      throw error
    }
    return meter
  }

  return {
    reserve,
    meter: meterFor,
    lines: () => accounts.lines(accounts.scopes()),
    linesOf: (agent) => accounts.lines(scopesOf(owners.get(agent) ?? { agent })),
    raise: async (scope, more, by) => {
      const lines = accounts.lines([scope])
      const none = measures.find(
        (measure) => more[measure] !== undefined && !lines.some((line) => line.measure === measure),
      )
      if (none !== undefined) fail('budget_unlimited', { who: whose(scope), measure: nameOf(none) })
      accounts.put([budgetFact('budget.raised', scope, { more, by, day: accounts.clock().today })])
      await stored('the raise')
      return accounts.lines([scope])
    },
    limit: async (scope, limits) => {
      const before = accounts.get(scope)?.limits ?? []
      if (JSON.stringify(before) === JSON.stringify(limits)) return
      accounts.put([budgetFact('budget.limited', scope, { limits: [...limits] })])
      await stored('the budget')
    },
    watch: accounts.watch,
    close: accounts.close,
  }
}
