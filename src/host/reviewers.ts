import { clearPlaces } from '../agent/aside/place.ts'
import { type Reviewers, type ReviewersOptions, reviewersOf } from '../agent/reviewer/reviewer.ts'
import type { Log } from '../base/log/open.ts'
import type { Environment } from '../session/plan/schema.ts'
import { type Programs, programs } from '../session/programs.ts'
import { clearSnapshots } from '../worktree/snapshot.ts'
import { maskFor } from './mask.ts'

export type HostReviewers = Pick<ReviewersOptions, 'root' | 'record' | 'now'> & {
  readonly token: string
  readonly programs?: Programs | undefined
  readonly log: Pick<Log, 'warn'>
}

/** How long snapshots are kept that nobody looks at. */
const month = 30 * 86_400_000

export const ownEnvironment = (): Environment =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )

/** Those of a host. What a host that was killed has left of its own is ended first. */
export const hostReviewers = ({ token, log, programs: given, ...options }: HostReviewers): Reviewers => {
  const { root } = options
  void clearPlaces(root).catch((error: Error) =>
    log.warn('reviewers of before could not be ended', { reason: error.message }),
  )
  void clearSnapshots(root, options.now() - month).catch((error: Error) =>
    log.warn('old snapshots could not be removed', { reason: error.message }),
  )
  return reviewersOf({
    ...options,
    env: ownEnvironment(),
    scripted: () => (given ?? programs()).scripted,
    mask: () => maskFor(root, token),
  })
}
