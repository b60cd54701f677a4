// Whom an agent may give work: those whose role its own role delegates to, as they are.
import { fail } from '../../base/error/fail.ts'
import { undelegated } from '../agent/delegation/rules.ts'
import { ownRole } from '../agent/own.ts'
import { type Asker, askRole } from './ask.ts'

/** A person may give anybody anything. */
export const refuseUndelegated = async (asker: Asker, to: string): Promise<void> => {
  const { io } = asker.line
  const { AGENCY_ACTOR: agent } = io.env
  if (!agent) return
  const wanted = await askRole(asker, to)
  const why =
    wanted === undefined
      ? `"${to}" has no role that could be delegated to`
      : undelegated({ own: await ownRole(io, asker.root), wanted, changed: false })
  if (why !== undefined) fail('task_not_delegated', { agent, why })
}
