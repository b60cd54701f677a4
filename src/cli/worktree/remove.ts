import { isOver } from '../../registry/rules.ts'
import { removeWorktree } from '../../worktree/remove.ts'
import { componentsOf, lookFor } from '../host/ask.ts'
import type { Handler } from '../io.ts'
import { checkName } from '../name.ts'

export const run: Handler = async (call) => {
  const agent = checkName('agent', call.values.agent ?? '')
  const dryRun = call.flags.has('dry-run')
  const { root, client } = await lookFor(call)
  // Without a host an agent may still run in its keeper; the removal itself looks for processes in the tree.
  const components = client === undefined ? [] : await componentsOf(client)
  const live = components.some(
    ({ name, type, state }) => name === agent && type === 'agent' && !isOver(state),
  )
  const { path, branch } = await removeWorktree({ root, agent, live, dryRun })
  const what = branch === null ? path : `${path} and the branch "${branch}"`
  return {
    data: { root, agent, path, branch, removed: !dryRun },
    lines: [dryRun ? `Would remove ${what}; nothing in it would be lost.` : `Removed ${what}.`],
  }
}
