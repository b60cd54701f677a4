// Removes the tree of an agent, and the branch made with it, if nothing is lost by that.
import { readdir, readlink, realpath, rename, rm } from 'node:fs/promises'
import { fail } from '../base/error/fail.ts'
import { name } from '../base/name/schema.ts'
import { fetchRecord } from './fetch.ts'
import { withAgent } from './hold.ts'
import { inspect } from './inspect.ts'
import { dropRecord, writeRecord } from './record.ts'
import { finishRemoval, settle } from './recover.ts'
import { refusalOf } from './refuse.ts'
import { planRemoval } from './removal/rules.ts'
import { entryAt, readPlace } from './repository.ts'
import { aside, placeOf, worktreesOf } from './rules.ts'
import type { WorktreeRecord } from './schema.ts'
import { command, isBelow } from './text/rules.ts'

export type Unwanted = {
  readonly root: string
  readonly agent: string
  /** Whether the agent has a live session. */
  readonly live: boolean
  readonly dryRun?: boolean
}
export type Removed = {
  readonly path: string
  /** The branch that goes with it. */
  readonly branch: string | null
}

const inspectSeconds = 300

/** A process that stands in the tree, where the system shows it: its work would go without a word. */
const occupant = async (path: string): Promise<number | undefined> => {
  const pids = (await readdir('/proc').catch(() => [])).filter((entry) => /^\d+$/.test(entry))
  for (const pid of pids) {
    // Ended meanwhile, or somebody else's: neither can be asked.
    const at = await readlink(`/proc/${pid}/cwd`).catch(() => '')
    if (at === path || isBelow(path, at)) return Number(pid)
  }
  return undefined
}

const useOf = async (agent: string, path: string, live: boolean) => {
  if (live) return { who: `the agent "${agent}" runs`, repair: command('agency', 'stop', agent) }
  const pid = await occupant(path)
  return pid === undefined ? undefined : { who: `process ${pid} works in it`, repair: `kill ${pid}` }
}

/** Not made by us, or the record is damaged: there is no telling which repository it belongs to. */
const refuseUnrecorded = async (agent: string, path: string): Promise<never> => {
  const place = await readPlace(path)
  if (place.kind === 'absent') return fail('worktree_unknown', { agent })
  const linked = place.kind === 'directory' && place.git === 'file'
  const repair = linked ? command('git', '-C', path, 'worktree', 'remove', path) : aside(path)
  return fail('worktree_unreadable', { path, why: 'agency did not make it', repair })
}

/** Neither tree nor registration: somebody removed it by hand, and only our record is left. */
const isGone = async ({ path, repository }: WorktreeRecord): Promise<boolean> =>
  (await readPlace(path)).kind === 'absent' && (await entryAt(repository, path)) === undefined

export const removeWorktree = async ({ root, agent: asked, live, dryRun }: Unwanted): Promise<Removed> => {
  const agent = name.parse(asked)
  const worktrees = await realpath(worktreesOf(root)).catch(() => fail('worktree_unknown', { agent }))
  const place = placeOf(worktrees, agent)
  return withAgent(place, agent, async () => {
    const record = await settle(worktrees, agent)
    if (record === undefined) return refuseUnrecorded(agent, place.path)
    if (await isGone(record)) {
      await dropRecord(worktrees, agent)
      return fail('worktree_unknown', { agent })
    }
    // What it committed is then the user's, and nothing but what was never committed is in the way.
    if (record.clone && dryRun !== true) await fetchRecord(worktrees, record)
    const { status, locked, tip, remote } = await inspect(record, inspectSeconds)
    const use = await useOf(agent, place.path, live)
    const refusal = planRemoval(status, { use, locked, remote })
    if (refusal !== undefined) throw refusalOf(refusal)
    const branch = tip === null ? null : record.branch
    if (dryRun === true) return { path: place.path, branch }
    const removing = { ...record, state: 'removing', branch, commit: tip } as const
    await rm(place.removed, { recursive: true, force: true })
    await writeRecord(worktrees, removing)
    await rename(place.path, place.removed)
    await (record.clone ? settle(worktrees, agent) : finishRemoval(worktrees, removing))
    return { path: place.path, branch }
  })
}
