// The answers about approvals.
import { approvals as api } from '../../approval/api.ts'
import type { Approvals } from '../../approval/desk.ts'
import { isOpen } from '../../approval/rules.ts'
import { fail } from '../../base/error/fail.ts'
import { type Route, route } from '../http/route.ts'

export const approvalRoutes = (approvals: Approvals): readonly Route[] => [
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
  route(api.answer, ({ params, body }) => {
    const { by = 'api', verdict, via, reason, always } = body
    const { rule } = approvals.find(params.id)
    if (always !== undefined && (rule === undefined || verdict === 'deny'))
      return fail('approval_no_rule', {
        id: params.id,
        why: verdict === 'deny' ? 'it is a no' : 'no rule allows exactly this call',
      })
    return approvals.answer(params.id, {
      verdict,
      by,
      via,
      ...(reason !== undefined && { reason }),
      ...(always !== undefined && { always }),
    })
  }),
]
