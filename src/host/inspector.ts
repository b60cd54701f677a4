import { type Inspector, type InspectorOptions, inspectorOf } from '../agent/inspector/inspector.ts'
import type { Log } from '../base/log/open.ts'
import { type Programs, programs } from '../session/programs.ts'
import { clearSnapshots } from '../worktree/snapshot.ts'
import { maskFor } from './mask.ts'
import { ownEnvironment } from './reviewers.ts'

export type HostInspector = Pick<InspectorOptions, 'root' | 'record'> & {
  readonly token: string
  readonly now: () => number
  readonly log: Pick<Log, 'warn'>
  readonly programs?: Programs | undefined
}

/** Since a session was looked at last: a month. */
const kept = 30 * 86_400_000

/** The one of a host. What a host that was killed has left is ended with the reviewers of permissions: their places are the same. */
export const hostInspector = ({
  root,
  record,
  token,
  programs: given,
  now,
  log,
}: HostInspector): Inspector => {
  void clearSnapshots(root, now() - kept).catch((error: Error) =>
    log.warn('old snapshots could not be removed', { reason: error.message }),
  )
  return inspectorOf({
    root,
    record,
    env: ownEnvironment(),
    programs: () => given ?? programs(),
    mask: () => maskFor(root, token),
  })
}
