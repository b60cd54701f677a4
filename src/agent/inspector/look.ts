// Gathers what a reviewer is shown. What cannot be had is a failure, never less to look at.
import type { Review } from '../../review/schema.ts'
import { filesIn, readChanges } from '../../worktree/changes.ts'
import { ignoredIn } from '../../worktree/snapshot.ts'
import { firstSnapshot } from '../../worktree/vault.ts'
import type { Brief } from './schema.ts'

export type Looked = Omit<Brief, 'walls'>

type Where = {
  readonly root: string
  readonly agent: string
  readonly session: string
  readonly tree: string
  /** The snapshot of the tree as it is now. */
  readonly now: string
}

/** The tree that was found complete last. */
const approved = ({ decisions }: Review): string | undefined =>
  decisions.findLast(({ verdict, tree }) => verdict === 'COMPLETE' && tree !== undefined)?.tree

const lastFound = ({ decisions }: Review): Looked['found'] => {
  const last = decisions.at(-1)
  return last?.verdict === 'ISSUES' ? { summary: last.summary, message: last.message } : undefined
}

export const look = async (where: Where, review: Review): Promise<Looked> => {
  const { root, agent, session, tree, now } = where
  const kept = { root, session }
  const [last, first] = [approved(review), await firstSnapshot(kept)]
  const changes = await readChanges(kept, last ?? first, now)
  const [ignored, files] = await Promise.all([ignoredIn({ ...kept, tree }), filesIn(kept, now)])
  return {
    agent,
    tree,
    prompts: review.prompts,
    trigger: review.trigger,
    found: lastFound(review),
    changes,
    since: last !== undefined ? 'approval' : first !== undefined ? 'start' : 'nothing',
    ignored,
    files,
  }
}
