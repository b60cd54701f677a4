import type { Approvals } from '../../approval/desk.ts'
import type { Log } from '../../base/log/open.ts'
import type { Budgets } from '../../budget/book.ts'
import type { Fact } from '../../journal/schema.ts'
import type { ComponentState } from '../../registry/schema.ts'
import type { Store } from '../../store/store.ts'
import type { Book } from '../../task/book.ts'
import type { WorkReviews } from '../reviewed.ts'
import type { Reviewers } from '../reviewer/reviewer.ts'
import type { LaunchOptions } from './launch.ts'

/** What a headless agent has around it. */
export type WorkerOptions = LaunchOptions & {
  readonly store: Store
  readonly book: Book
  readonly approvals: Approvals
  readonly reviewers: Reviewers
  readonly works: WorkReviews
  readonly budgets: Budgets
  readonly record: (...facts: readonly Fact[]) => void
  readonly written: () => Promise<boolean>
  readonly report: (state: ComponentState, message?: string) => void
  readonly reportMs?: number
  readonly log: Log
}
