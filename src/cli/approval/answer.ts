// `agency approve` and `agency deny`: an answer that is stored when this ends, and whose it was that counted.
import { userInfo } from 'node:os'
import { outcome, verdictOf } from '../../approval/rules.ts'
import type { Always, Verdict } from '../../approval/schema.ts'
import { failure } from '../../base/error/fail.ts'
import { printable } from '../../base/text/rules.ts'
import { findRoot } from '../../config/root/find.ts'
import type { Outcome } from '../command/schema.ts'
import type { Call } from '../io.ts'
import { where } from '../root/where.ts'
import { askAnswer, askReceipt, askRule, findApproval } from './ask.ts'
import { confirmed } from './confirm.ts'
import { told } from './told/rules.ts'

/** What would be written into the file of the role is shown first. */
const confirmRule = async (call: Call, root: string, id: string): Promise<void> => {
  const { rule, file, change } = await askRule(root, call, id)
  for (const line of [file, ...change]) call.say(printable(line))
  if (call.flags.has('yes')) return
  const sure = call.io.stdin.isTTY === true && (await confirmed(call, `Write this rule into ${file}?`))
  if (!sure) throw failure('approval_unconfirmed', { id, rule, file })
}

export const answerWith = async (call: Call, verdict: Verdict): Promise<Outcome> => {
  const { values } = call
  const { directory: root } = await findRoot(where(call.io))
  const { id } = await findApproval(root, call, values.approval ?? '')
  const { reason } = values
  const always = values.always as Always | undefined
  if (always === 'role') await confirmRule(call, root, id)
  await askAnswer(root, call, id, {
    verdict,
    by: userInfo().username,
    via: 'cli',
    ...(reason !== undefined && { reason }),
    ...(always !== undefined && { always }),
  })
  const approval = await askReceipt(root, call, id)
  // The answer was stored first, but at the terminal somebody was faster.
  if (verdictOf(approval) !== verdict) throw failure('approval_settled', { id, how: outcome(approval) })
  return { data: { approval }, lines: [told(approval)] }
}
