import { type Inspector, type InspectorOptions, inspectorOf } from '../agent/inspector/inspector.ts'
import { type Programs, programs } from '../session/programs.ts'
import { maskFor } from './mask.ts'
import { ownEnvironment } from './reviewers.ts'

export type HostInspector = Pick<InspectorOptions, 'root' | 'record'> & {
  readonly token: string
  readonly programs?: Programs | undefined
}

/** The one of a host. What a host that was killed has left is ended with the reviewers of permissions: their places are the same. */
export const hostInspector = ({ root, record, token, programs: given }: HostInspector): Inspector =>
  inspectorOf({
    root,
    record,
    env: ownEnvironment(),
    programs: () => given ?? programs(),
    mask: () => maskFor(root, token),
  })
