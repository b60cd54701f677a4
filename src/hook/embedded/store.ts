// The reviews of plain Claude Code: a file beside the host's, which many processes write at once.
import { join } from 'node:path'
import { layout } from '../../config/layout/rules.ts'
import type { Reduce } from '../../journal/schema.ts'
import { openReviews, type Reviews } from '../../review/desk.ts'
import { reduceReview } from '../../review/record/rules.ts'
import { openStore } from '../../store/sqlite.ts'
import type { Env } from './schema.ts'

/** Below the time that a hook has: whoever waits for the file longer is refused, not killed. */
const patience = 20_000

/** Nothing else is kept there: the reducers of all nouns would take longer to load than the rest takes to run. */
const reduce = (noun: string): Reduce => (noun === 'review' ? (reduceReview as Reduce) : (was) => was)

/** Those of the plugin, wherever Claude Code has put it. */
const shipped = (env: Env): readonly string[] =>
  env.CLAUDE_PLUGIN_ROOT ? [join(env.CLAUDE_PLUGIN_ROOT, 'templates')] : []

export const openGate = async (
  root: string,
  env: Env,
): Promise<{ reviews: Reviews; close: () => Promise<void> }> => {
  const { gateStore, templates } = layout(root)
  const store = await openStore({ file: gateStore, reduce, now: () => new Date(), patience })
  const reviews = openReviews({ store, now: Date.now, templates: [templates, ...shipped(env)] })
  return { reviews, close: () => store.close() }
}
