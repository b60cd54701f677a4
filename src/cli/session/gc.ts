// `agency session gc`: removes what agents that have ended left, and says what it leaves and why.
import type { AgentEntry } from '../../agent/api.ts'
import { fail } from '../../base/error/fail.ts'
import { isOver } from '../../registry/rules.ts'
import { lookAtSessions, type Seen } from '../../session/gc/look.ts'
import { judge, type Verdict } from '../../session/gc/rules.ts'
import { removeSession } from '../../session/sweep.ts'
import { listWorktrees } from '../../worktree/list.ts'
import { agentsOf, askForget } from '../agent/ask.ts'
import { lookFor } from '../host/ask.ts'
import type { Call, Handler } from '../io.ts'

type Left = { readonly agent: string; readonly why: string; readonly next?: string }
type Gone = { readonly agent: string; readonly directory: string; readonly worktree?: string }
type Swept = { readonly removed: Gone[]; readonly left: Left[]; readonly failed: Left[] }

const daysOf = ({ values: { older } }: Call): number | undefined => {
  if (older === undefined) return undefined
  if (/^\d{1,5}$/.test(older)) return Number(older)
  return fail('bad_value', {
    value: older,
    what: 'the option --older',
    expected: 'a whole number of days',
    hint: 'Type for example --older 7.',
  })
}

const withHost = (seen: Seen, agents: readonly AgentEntry[]): Seen => {
  const known = agents.find(({ name }) => name === seen.agent)
  return known === undefined || isOver(known.state) ? seen : { ...seen, alive: `it runs (${known.text})` }
}

/** Why it could not be removed; undefined = it is gone. What the system refuses must not keep the others. */
const removal = async (
  root: string,
  agent: string,
): Promise<{ why: string; failed: boolean } | undefined> => {
  try {
    const why = await removeSession(root, agent)
    return why === undefined ? undefined : { why, failed: false }
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    return { why: error.message, failed: true }
  }
}

const linesOf = ({ removed, left, failed }: Swept, dryRun: boolean): string[] => {
  if (removed.length + left.length + failed.length === 0) return ['No sessions.']
  const stays = (tree: string | undefined, agent: string): string =>
    tree === undefined ? '' : `; its worktree stays (\`agency worktree remove ${agent}\`)`
  const hint = (next: string | undefined): string => (next === undefined ? '' : ` (\`${next}\`)`)
  return [
    ...removed.map(
      ({ agent, worktree }) => `${dryRun ? 'would remove' : 'removed'} ${agent}${stays(worktree, agent)}`,
    ),
    ...left.map(({ agent, why, next }) => `left ${agent}: ${why}${hint(next)}`),
    ...failed.map(({ agent, why }) => `failed ${agent}: ${why}`),
    ...(dryRun ? ['Nothing was removed (--dry-run).'] : []),
  ]
}

export const run: Handler = async (call) => {
  const dryRun = call.flags.has('dry-run')
  const older = daysOf(call)
  const { root, client } = await lookFor(call)
  const agents = client === undefined ? [] : await agentsOf(client)
  call.progress('Looking at the sessions and their worktrees ...')
  const trees = await listWorktrees(root)
  const now = Date.now()
  const swept: Swept = { removed: [], left: [], failed: [] }
  for (const seen of await lookAtSessions(root)) {
    const { agent, directory } = seen
    const worktree = trees.find((tree) => tree.agent === agent)
    const verdict: Verdict = judge({ ...withHost(seen, agents), worktree }, { now, older })
    if (!verdict.remove) {
      const { remove: _, ...reason } = verdict
      swept.left.push({ agent, ...reason })
      continue
    }
    const kept = dryRun ? undefined : await removal(root, agent)
    if (kept !== undefined) swept[kept.failed ? 'failed' : 'left'].push({ agent, why: kept.why })
    else swept.removed.push({ agent, directory, ...(worktree && { worktree: worktree.path }) })
  }
  if (client !== undefined && swept.removed.length > 0 && !dryRun) await askForget(client)
  return {
    data: { root, dry_run: dryRun, ...swept },
    lines: linesOf(swept, dryRun),
    exit: swept.failed.length > 0 ? 1 : 0,
  }
}
