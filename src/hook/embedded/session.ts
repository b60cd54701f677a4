// What one hook event of plain Claude Code needs to know; what takes long is loaded when it is asked for.
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { layout } from '../../config/layout/rules.ts'
import { findRoot, type Root, type Where } from '../../config/root/find.ts'
import type { Place } from '../../permission/call/schema.ts'
import type { SessionReviews } from '../../review/desk.ts'
import type { Setting } from '../../review/schema.ts'
import type { Event } from './event/schema.ts'
import { rootOf, settingAt } from './ground.ts'
import { quoted } from './rules.ts'
import type { Env } from './schema.ts'

export type Session = {
  readonly env: Env
  readonly setting: Setting
  readonly place: Place
  /** There is a root: a place to keep something in. */
  readonly rooted: boolean
  /** What a reviewer types to reach this program. */
  readonly program: string
  /** undefined = nothing was ever kept here, and this event is none to begin with. */
  readonly reviews: (begins: boolean) => Promise<SessionReviews | undefined>
  /** What a verdict binds to, where it is to bind to the work. */
  readonly tree: () => Promise<string | undefined>
  readonly close: () => Promise<void>
}

const programOf = (env: Env, root: Root | undefined): string => {
  const program = env.CLAUDE_PLUGIN_ROOT ? quoted(join(env.CLAUDE_PLUGIN_ROOT, 'bin', 'roz')) : 'roz'
  // The reviewer may have gone to where another root is nearer.
  return root?.via === 'upwards' ? `AGENCY_ROOT=${quoted(root.directory)} ${program}` : program
}

/** The work as it is now. */
export const treeOf = async (root: string, session: string, project: string): Promise<string> => {
  const { snapshot } = await import('../../worktree/snapshot.ts')
  return snapshot({ root, session, tree: project })
}

export const openSession = async (event: Event, env: Env): Promise<Session> => {
  const home = env.HOME || homedir()
  // Not where the agent has gone to: it could make a root there, and be under that one's rules.
  const project = env.CLAUDE_PROJECT_DIR || event.cwd
  const where: Where = { env, cwd: project, home }
  const root = await rootOf(where)
  const setting = await settingAt(root, env)
  const closing: (() => Promise<void>)[] = []

  const reviews: Session['reviews'] = async (begins) => {
    const known = root !== undefined && existsSync(layout(root.directory).gateStore)
    if (!known && !begins) return undefined
    const { directory } = root ?? (await findRoot(where, true))
    const { openGate } = await import('./store.ts')
    const opened = await openGate(directory, env)
    closing.push(opened.close)
    return opened.reviews.of(event.session, async () => setting)
  }

  const tree: Session['tree'] = async () =>
    setting.bind_tree && root ? treeOf(root.directory, event.session, project) : undefined

  return {
    env,
    setting,
    rooted: root !== undefined,
    place: { cwd: event.cwd, tree: project, home },
    program: programOf(env, root),
    reviews,
    tree,
    close: async () => {
      for (const close of closing) await close()
    },
  }
}
