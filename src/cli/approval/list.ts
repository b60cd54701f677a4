import { findRoot } from '../../config/root/find.ts'
import { hostUp } from '../agent/ask.ts'
import type { Handler } from '../io.ts'
import { table } from '../output/rules.ts'
import { where } from '../root/where.ts'
import { askApprovals } from './ask.ts'
import { rowOf } from './told/rules.ts'

export const run: Handler = async (call) => {
  const { directory: root } = await findRoot(where(call.io))
  const approvals = await askApprovals(await hostUp(root, call), call.flags.has('all'))
  const now = Date.now()
  const lines =
    approvals.length === 0
      ? ['Nothing waits for you.']
      : table([
          ['ID', 'AGENT', 'TOOL', 'SINCE', 'EXPIRES', 'STATE', 'ABOUT'],
          ...approvals.map((one) => rowOf(one, now)),
        ])
  return { data: { approvals }, lines }
}
