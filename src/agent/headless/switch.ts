// The role of an agent that takes tasks: its file says it, so it holds from the next task on.
import { mkdir, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '../../base/error/fail.ts'
import { layout } from '../../config/layout/rules.ts'
import { writeValue } from '../../config/yaml/write.ts'
import { roleRefusals } from '../../session/plan/refusal/rules.ts'
import { credentialsOf, wallsFor } from '../../session/prepare.ts'
import { type AgentFile, agentFile } from '../schema.ts'
import { roleFor } from './prepare.ts'

export type NextRole = {
  readonly agent: string
  readonly root: string
  readonly file: string
  readonly current: () => AgentFile
}

const markIn = (root: string, agent: string): string => join(layout(root).session(agent), 'switched')

/** Its file with this role, written. What every task would be refused for is refused now. */
export const nextRole = async ({ agent, root, file, current }: NextRole, to: string): Promise<AgentFile> => {
  const next = { ...current(), role: to }
  const role = await roleFor(root, next)
  if (role.agent_type === 'command') fail('role_not_taskable', { role: to })
  const [sandbox, credentials] = await Promise.all([wallsFor(role), credentialsOf(root, role)])
  const refusals = roleRefusals(role, { uid: process.getuid?.() ?? -1, sandbox, credentials })
  if (refusals.length > 0) fail('launch_refused', { agent, problems: refusals.map(({ text }) => text) })
  await markSwitched(root, agent)
  await writeValue(file, ['role'], to, agentFile)
  return next
}

/** Before it is: a conversation that began earlier had another role. */
export const markSwitched = async (root: string, agent: string): Promise<void> => {
  await mkdir(layout(root).session(agent), { recursive: true, mode: 0o700 })
  await writeFile(markIn(root, agent), '', { mode: 0o600 })
  await utimes(markIn(root, agent), new Date(), new Date())
}

/** The conversation began before its agent got another role: what it was told then is not replayed. */
export const hadAnother = async (root: string, agent: string, transcript: string): Promise<boolean> => {
  const [marked, begun] = await Promise.all(
    [markIn(root, agent), transcript].map((path) => stat(path).catch(() => undefined)),
  )
  // Where the file system does not tell when a file was made, it may have been before.
  return marked !== undefined && (begun?.birthtimeMs ?? 0) <= marked.mtimeMs
}
