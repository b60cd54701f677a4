// Every tree of a root and what it holds.
import { realpath } from 'node:fs/promises'
import { broken, inspect } from './inspect.ts'
import { agentsIn, readRecord } from './record.ts'
import { entryAt, readPlace } from './repository.ts'
import { placeOf, worktreesOf } from './rules.ts'
import type { WorktreeStatus } from './schema.ts'
import { command } from './text/rules.ts'

export const listSeconds = 20
// Each looks at a whole tree: more at once would only make all of them late.
const atOnce = 4

const look = async (
  worktrees: string,
  agent: string,
  seconds: number,
): Promise<readonly WorktreeStatus[]> => {
  const { path } = placeOf(worktrees, agent)
  const record = await readRecord(worktrees, agent)
  const { kind } = await readPlace(path)
  if (record === undefined) {
    if (kind === 'absent') return []
    return [broken(agent, path, null, 'agency did not make it', command('mv', path, `${path}.old`)).status]
  }
  // Removed by hand: only our record is left.
  if (kind === 'absent' && (await entryAt(record.repository, path)) === undefined) return []
  return [(await inspect(record, seconds)).status]
}

export const listWorktrees = async (root: string, seconds = listSeconds): Promise<WorktreeStatus[]> => {
  const worktrees = await realpath(worktreesOf(root)).catch(() => undefined)
  if (worktrees === undefined) return []
  const agents = await agentsIn(worktrees)
  const found: (readonly WorktreeStatus[])[] = agents.map(() => [])
  const waiting = agents.entries()
  const work = async (): Promise<void> => {
    for (const [at, agent] of waiting) found[at] = await look(worktrees, agent, seconds)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return found.flat()
}
