// What a headless agent may use, and has used.
import type { Budgets } from '../../budget/book.ts'
import type { Meter } from '../../budget/meter.ts'
import { noticeOf } from '../../budget/told/rules.ts'
import { spent } from '../../driver/claude/result/rules.ts'
import type { Role } from '../../role/schema.ts'
import type { Task } from '../../task/schema.ts'
import type { AgentFile } from '../schema.ts'
import type { Attempt, Came } from './attempt.ts'
import { isKeepers } from './start.ts'

export type SpendingOptions = {
  readonly agent: string
  readonly file: () => AgentFile
  readonly budgets: Budgets
}

export type Spending = {
  /** Launches an attempt, if it may be; where it was never launched, it was no run. */
  launching(
    task: Task,
    role: Role,
    launch: (meter: Meter) => Promise<Attempt | undefined>,
  ): Promise<Attempt | undefined>
  meter(session: string): Meter
  /** What its role and its file say now. */
  limit(role: Role): Promise<void>
  isSpent(): boolean
  /** For lists. */
  notice(): string | undefined
}

/** An attempt has ended. The totals of the CLI grow over a session: it has used the difference to the last. */
export const payFor = (meter: Meter, { total: before }: Task, came: Came): void => {
  const total = 'lost' in came ? undefined : came.ending.outcome.total
  if (total !== undefined) {
    const { input, output, cacheRead, cacheWrite, costUsd } = spent(total, before)
    meter.paid({ tokens: input + output + cacheRead + cacheWrite, cost_usd: costUsd })
  }
  meter.over()
}

export const spendingOf = ({ agent, file, budgets }: SpendingOptions): Spending => {
  const owner = () => ({ agent, role: file().role ?? 'actor', pod: file().pod })
  const limitsFor = (role: Role) => [role.budget, file().budget ?? {}]
  const meter: Spending['meter'] = (session) => budgets.meter(owner(), session)
  return {
    launching: async ({ id, session: source, attempt }, role, launch) => {
      const run = `${id}.${(attempt?.number ?? 0) + 1}`
      const reserved = await budgets.reserve({ ...owner(), source, run, limits: limitsFor(role) })
      try {
        const launched = await launch(reserved)
        if (launched === undefined) reserved.release()
        return launched
      } catch (error) {
        // Where its keeper went, nobody knows whether it was launched.
        if (!isKeepers(error)) reserved.release()
        throw error
      }
    },
    meter,
    limit: (role) =>
      budgets.limit(
        `agent/${agent}`,
        limitsFor(role).filter((one) => Object.keys(one).length > 0),
      ),
    isSpent: () => meter('').next()?.level === 'reached',
    notice: () => {
      const next = meter('').next()
      return next && noticeOf(next)
    },
  }
}
