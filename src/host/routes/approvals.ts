// The answers about approvals.
import { type Grant, grantOf } from '../../agent/grant/write.ts'
import { approvals as api } from '../../approval/api.ts'
import type { Approvals } from '../../approval/desk.ts'
import { isOpen } from '../../approval/rules.ts'
import type { Always, Approval, Verdict } from '../../approval/schema.ts'
import { fail } from '../../base/error/fail.ts'
import { type Route, route } from '../http/route.ts'

type Answered = { readonly verdict: Verdict; readonly always?: Always | undefined }

/** What is to be written besides; refused before anything is answered. */
const grantFor = async (
  root: string,
  approval: Approval,
  { verdict, always }: Answered,
): Promise<Grant | undefined> => {
  const { id, rule } = approval
  if (always === undefined) return undefined
  if (verdict === 'deny') return fail('approval_no_rule', { id, why: 'only a yes can be one for always' })
  if (rule === undefined) return fail('approval_no_rule', { id, why: 'no rule allows exactly this call' })
  return always === 'role' ? grantOf(root, approval) : undefined
}

export const approvalRoutes = (root: string, approvals: Approvals): readonly Route[] => [
  route(api.list, ({ query }) => ({
    approvals: approvals
      .list()
      .filter((one) => query.agent === undefined || one.agent === query.agent)
      .filter((one) => query.all === 'true' || isOpen(one)),
  })),
  route(api.show, ({ params, query }) =>
    query.seconds === undefined
      ? approvals.find(params.id)
      : approvals.until(params.id, Number(query.seconds) * 1000),
  ),
  route(api.rule, async ({ params }) => {
    const { rule, role, file, change } = await grantOf(root, approvals.find(params.id))
    return { rule, role, file, change: [...change] }
  }),
  route(api.answer, async ({ params, body }) => {
    const { by = 'api', verdict, via, reason, always } = body
    const grant = await grantFor(root, approvals.find(params.id), { verdict, always })
    const answered = await approvals.answer(params.id, {
      verdict,
      by,
      via,
      ...(reason !== undefined && { reason }),
      ...(always !== undefined && { always }),
    })
    // After the answer: whoever comes second must not leave a rule behind.
    await grant?.write()
    return answered
  }),
]
