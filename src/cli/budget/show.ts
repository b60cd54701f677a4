import { findRoot } from '../../config/root/find.ts'
import { hostUp } from '../agent/ask.ts'
import type { Handler } from '../io.ts'
import { checkName } from '../name.ts'
import { where } from '../root/where.ts'
import { askBudgets } from './ask.ts'
import { tableOf } from './told/rules.ts'

export const run: Handler = async (call) => {
  const { directory: root } = await findRoot(where(call.io))
  const { agent } = call.values
  const budgets = await askBudgets(
    await hostUp(root, call),
    agent === undefined ? undefined : checkName('agent name', agent),
  )
  const none = agent === undefined ? 'Nothing has a limit.' : `Nothing limits "${agent}".`
  return { data: { budgets }, lines: budgets.length === 0 ? [none] : tableOf(budgets) }
}
