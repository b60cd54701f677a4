import { namePattern, nameRule, reservedNames } from '../../base/name/schema.ts'
import { doubt, type Remark, wrong } from '../../base/remark/rules.ts'
import { unfitPlace } from '../place/rules.ts'
import type { AgentFile } from '../schema.ts'

/** The directory of a component is its name: a host passes over one that cannot be. */
export const checkDirectory = (given: string | undefined, directory: string | undefined): Remark[] => {
  if (directory === undefined) return []
  if (!namePattern.test(directory))
    return [wrong([], `the directory "${directory}" must be a name: ${nameRule}`)]
  if (reservedNames.includes(directory))
    return [wrong([], `the directory "${directory}" has a reserved name`)]
  if (given === undefined || given === directory) return []
  return [wrong(['name'], `must be "${directory}", as its directory is called`)]
}

/** `directory` is the name of the directory in `agents/`; none for a file elsewhere. */
export const checkAgent = (agent: AgentFile, directory?: string): Remark[] => {
  const found: Remark[] = [...checkDirectory(agent.name, directory)]
  if (agent.permission_mode === 'bypassPermissions' && agent.sandbox?.enabled === false) {
    const text = 'is bypassPermissions without a sandbox: a task could do anything you can'
    found.push(wrong(['permission_mode'], text))
  }
  const unfit = agent.session_dir === undefined ? undefined : unfitPlace(agent.session_dir)
  if (unfit !== undefined) found.push(wrong(['session_dir'], unfit))
  if (agent.root_dir !== undefined && agent.session_dir !== undefined) {
    found.push(doubt(['session_dir'], 'has no effect: `root_dir` says where it works'))
  }
  return found
}
