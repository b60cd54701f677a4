import { namePattern, nameRule } from '../../base/name/schema.ts'
import { doubt, type Remark, wrong } from '../../base/remark/rules.ts'
import type { AgentFile } from '../schema.ts'

/** `directory` is the name of the directory in `agents/`; none for a file elsewhere. */
export const checkAgent = (agent: AgentFile, directory?: string): Remark[] => {
  const found: Remark[] = []
  if (directory !== undefined && !namePattern.test(directory)) {
    found.push(wrong([], `the directory "${directory}" must be a name: ${nameRule}`))
  } else if (directory !== undefined && agent.name !== undefined && agent.name !== directory) {
    found.push(wrong(['name'], `must be "${directory}", as its directory is called`))
  }
  if (agent.permission_mode === 'bypassPermissions' && agent.sandbox?.enabled === false) {
    const text = 'is bypassPermissions without a sandbox: a task could do anything you can'
    found.push(wrong(['permission_mode'], text))
  }
  if (agent.root_dir !== undefined && agent.session_dir !== undefined) {
    found.push(doubt(['session_dir'], 'has no effect: `root_dir` says where it works'))
  }
  return found
}
