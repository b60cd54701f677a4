// Which session directories may go. Fails closed: what is not known to be over, and to lose nothing, stays.
import { namePattern } from '../../base/name/schema.ts'
import type { WorktreeStatus } from '../../worktree/schema.ts'
import { span } from '../summary/rules.ts'

/** What a removal that was interrupted has left. No agent is called so: names never start with a dot. */
export const restPattern = /^\.removed-[a-z0-9-]+$/

export type Candidate = {
  /** As its directory is called. */
  readonly agent: string
  readonly kind: 'directory' | 'unreadable' | 'link' | 'other'
  /** What of it still runs, in words. */
  readonly alive?: string | undefined
  /** When its last launch ended, in ms since 1970; absent = it was lost, and nobody knows how it ended. */
  readonly ended?: number | undefined
  /** It belongs to an agent that a file describes: sessions of its tasks share it. */
  readonly headless?: boolean | undefined
  /** When anything in it was last written. */
  readonly touched: number
  readonly worktree?: Pick<WorktreeStatus, 'state' | 'changes' | 'unpushed' | 'why'> | undefined
}

export type Verdict =
  | { readonly remove: true }
  | { readonly remove: false; readonly why: string; readonly next?: string }

const day = 86_400_000

const keep = (why: string, next?: string): Verdict => ({
  remove: false,
  why,
  ...(next !== undefined && { next }),
})

const count = (number: number, one: string): string => `${number} ${one}${number === 1 ? '' : 's'}`

/** Without its session nobody could say any more what that work was. */
const unsaved = ({ worktree: tree, agent }: Candidate): Verdict | undefined => {
  if (tree === undefined || tree.state === 'clean') return undefined
  const next = `agency worktree remove ${agent}`
  if (tree.state === 'broken')
    return keep(`its worktree cannot be read: ${tree.why ?? 'git does not say why'}`, next)
  const work = [
    ...(tree.changes > 0 ? [`${count(tree.changes, 'file')} not committed`] : []),
    ...(tree.unpushed > 0 ? [`${count(tree.unpushed, 'commit')} nobody else has`] : []),
  ]
  return keep(`its worktree holds ${work.join(' and ') || 'work'}`, next)
}

/** `older` in days; absent = whatever has ended, but then nothing that was lost: that is there to be resumed. */
export const judge = (
  found: Candidate,
  { now, older }: { readonly now: number; readonly older?: number | undefined },
): Verdict => {
  const { agent, kind, alive, headless, ended, touched } = found
  if (kind === 'link') return keep('it is a symbolic link')
  if (kind === 'other') return keep('it is not a directory')
  if (kind === 'unreadable') return keep('it cannot be read')
  if (alive !== undefined) return keep(alive)
  if (restPattern.test(agent)) return { remove: true }
  if (!namePattern.test(agent)) return keep('no agent is called so')
  if (headless)
    return keep('its agent is configured; what a task left goes with it (`history:` in config.yaml)')
  const work = unsaved(found)
  if (work !== undefined) return work
  if (ended === undefined && older === undefined)
    return keep(
      'it was lost, not ended; `--older DAYS` removes such a session too',
      `agency session resume ${agent}`,
    )
  const age = now - (ended ?? touched)
  if (older === undefined || age >= older * day) return { remove: true }
  return keep(`it ${ended === undefined ? 'was last heard of' : 'ended'} ${span(age)} ago`)
}
