// The one catalogue of what can go wrong, in users' words. An area is a folder beside this file.
import { agentErrors } from './agent/schema.ts'
import { approvalErrors } from './approval/schema.ts'
import { budgetErrors } from './budget/schema.ts'
import { driverErrors } from './driver/schema.ts'
import { hostErrors } from './host/schema.ts'
import { inputErrors } from './input/schema.ts'
import { keeperErrors } from './keeper/schema.ts'
import { messageErrors } from './message/schema.ts'
import { reviewErrors } from './review/schema.ts'
import { roleErrors } from './role/schema.ts'
import { rootErrors } from './root/schema.ts'
import { sandboxErrors } from './sandbox/schema.ts'
import { storeErrors } from './store/schema.ts'
import { taskErrors } from './task/schema.ts'
import { worktreeErrors } from './worktree/schema.ts'

export const catalogue = {
  ...inputErrors,
  ...rootErrors,
  ...storeErrors,
  ...hostErrors,
  ...driverErrors,
  ...keeperErrors,
  ...roleErrors,
  ...worktreeErrors,
  ...agentErrors,
  ...messageErrors,
  ...approvalErrors,
  ...budgetErrors,
  ...reviewErrors,
  ...taskErrors,
  ...sandboxErrors,
}

export type Code = keyof typeof catalogue

export type Detail = string | number | null

/** The `{holes}` of an entry's texts: exactly what `fail` must be given. */
type Holes<Text> = Text extends `${string}{${infer Hole}}${infer Rest}` ? Hole | Holes<Rest> : never
type EntryHoles<C extends Code> = Holes<(typeof catalogue)[C][keyof (typeof catalogue)[C]]>
export type Facts<C extends Code> = { [Hole in EntryHoles<C>]: string | number } & {
  /** One line each, shown below the message: file:line:column, what is wrong, what was expected. */
  problems?: readonly string[]
  cause?: unknown
  /** For programs: what no text says. */
  also?: Readonly<Record<string, Detail>>
}
