// `agency approve` and `agency deny`: an answer that is stored when this ends, and whose it was that counted.
import { userInfo } from 'node:os'
import { outcome, verdictOf } from '../../approval/rules.ts'
import type { Verdict } from '../../approval/schema.ts'
import { failure } from '../../base/error/fail.ts'
import { findRoot } from '../../config/root/find.ts'
import type { Outcome } from '../command/schema.ts'
import type { Call } from '../io.ts'
import { where } from '../root/where.ts'
import { askAnswer, askReceipt, findApproval } from './ask.ts'
import { told } from './told/rules.ts'

export const answerWith = async (call: Call, verdict: Verdict): Promise<Outcome> => {
  const { values } = call
  const { directory: root } = await findRoot(where(call.io))
  const { id } = await findApproval(root, call, values.which ?? '')
  const { reason } = values
  await askAnswer(root, call, id, {
    verdict,
    by: userInfo().username,
    via: 'cli',
    ...(reason !== undefined && { reason }),
  })
  const approval = await askReceipt(root, call, id)
  // The answer was stored first, but at the terminal somebody was faster.
  if (verdictOf(approval) !== verdict) throw failure('approval_settled', { id, how: outcome(approval) })
  return { data: { approval }, lines: [told(approval)] }
}
