// The gate's own file, where no host keeps the reviews. Several processes may have it open.
import { layout } from '../../config/layout/rules.ts'
import { answering } from '../../review/answer.ts'
import { openReviews } from '../../review/desk.ts'
import { reduceOf } from '../../state/rules.ts'
import { openStore } from '../../store/sqlite.ts'
import type { Source } from './source.ts'

export const openFile = async (
  root: string,
): Promise<{ readonly source: Source; readonly close: () => Promise<void> }> => {
  const store = await openStore({ file: layout(root).gateStore, reduce: reduceOf, now: () => new Date() })
  const reviews = openReviews({ store, now: Date.now })
  const answers = answering({ reviews, now: Date.now, agents: async () => new Map() })
  return { source: { where: 'file', ...answers }, close: () => store.close() }
}
