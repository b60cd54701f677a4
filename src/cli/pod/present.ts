// The agents of a root, for what is done with pods: from the host, or from their keepers where none is up.
import { dirname } from 'node:path'
import { AgencyError } from '../../base/error/fail.ts'
import type { Client } from '../../client/call.ts'
import { layout } from '../../config/layout/rules.ts'
import { findKeepers } from '../../keeper/find.ts'
import { isOver } from '../../registry/rules.ts'
import { readSessionFile } from '../../session/heard.ts'
import { agentsOf } from '../agent/ask.ts'
import { componentsOf } from '../host/ask.ts'
import type { Present, Result } from './rules.ts'

/** A plain command has no file that names its pod: without a host it is in none. */
const kept = async (root: string): Promise<readonly Present[]> => {
  const { sessions } = layout(root)
  const found = (await findKeepers(root)).filter(({ directory }) => dirname(directory) === sessions)
  return Promise.all(
    found.map(async ({ agent: name, directory }) => {
      const file = await readSessionFile(directory)
      return { name, role: file?.role, pod: file?.pod, text: 'no host', over: false }
    }),
  )
}

export const presentAgents = async (
  root: string,
  client: Client | undefined,
): Promise<readonly Present[]> => {
  if (client === undefined) return kept(root)
  return (await agentsOf(client)).map(({ name, role, pod, text, state }) => ({
    name,
    role,
    pod,
    text,
    over: isOver(state),
  }))
}

/** Also of agents that a file configures. */
export const takenNames = async (client: Client): Promise<readonly string[]> =>
  (await componentsOf(client))
    .filter(({ type, state }) => type === 'agent' && !isOver(state))
    .map(({ name }) => name)

/** One agent that fails must not keep the others; anything but an error of the catalogue is a fault of ours. */
export const attempted = async (
  { name, role }: Pick<Result, 'name' | 'role'>,
  work: () => Promise<Result>,
): Promise<Result> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AgencyError)) throw error
    const { code, message, problems } = error
    return { name, role, result: 'failed', text: message, error: code, problems }
  }
}
