// The gate's own file, where no host keeps the reviews. Several processes may have it open.
import { layout } from '../../config/layout/rules.ts'
import { settingAt } from '../../hook/embedded/ground.ts'
import { treeOf } from '../../hook/embedded/session.ts'
import { type Answering, answering } from '../../review/answer.ts'
import { openReviews } from '../../review/desk.ts'
import { reduceOf } from '../../state/rules.ts'
import { openStore } from '../../store/sqlite.ts'
import type { Io } from '../io.ts'

/** Where reviews bind to the work: what lies where the person stands who decides about it. */
const treeIn = async (root: string, session: string, { env, cwd }: Io): Promise<string | undefined> => {
  const { bind_tree } = await settingAt({ directory: root, via: 'home' }, env)
  return bind_tree && cwd !== undefined ? treeOf(root, session, cwd) : undefined
}

export const openFile = async (
  root: string,
  io: Io,
): Promise<{ readonly answers: Answering; readonly close: () => Promise<void> }> => {
  const store = await openStore({ file: layout(root).gateStore, reduce: reduceOf, now: () => new Date() })
  const reviews = openReviews({ store, now: Date.now })
  const answers = answering({
    reviews,
    now: Date.now,
    agents: async () => new Map(),
    tree: (session) => treeIn(root, session, io),
  })
  return { answers, close: () => store.close() }
}
