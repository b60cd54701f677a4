// The walls of a session: what a plan asks for, as a keeper launches it.

import { layout } from '../config/layout/rules.ts'
import type { Keeper } from '../keeper/reach.ts'
import type { Launch } from '../keeper/schema.ts'
import type { Model } from '../sandbox/relay/schema.ts'
import { wrapLaunch } from '../sandbox/wrap.ts'
import { borrowedBy } from '../worktree/borrow.ts'
import type { Plan } from './plan/schema.ts'
import type { Programs } from './programs.ts'

export type Walling = {
  readonly root: string
  readonly home: string
  readonly plan: Plan
  readonly model?: Model | undefined
  readonly keeper: Keeper
  readonly programs: Programs['walls']
}

export type Ordered = { readonly order: Launch; readonly undo: () => Promise<void> }

/** Without walls it is the plan's own launch. */
export const orderOf = async ({ root, home, plan, model, keeper, programs }: Walling): Promise<Ordered> => {
  const { argv, env } = plan.launch
  const { sandbox, worktree } = plan
  if (sandbox === undefined)
    return { order: { argv: [...argv], env: { ...env }, cwd: plan.cwd }, undo: async () => {} }
  const own = worktree?.kind === 'clone'
  const directory = layout(root).session(plan.agent)
  const { config, tmp, settings } = plan.order?.paths ?? {}
  const wrapped = await wrapLaunch({
    agent: plan.agent,
    settings: sandbox.settings,
    root,
    home,
    tree: {
      path: plan.cwd,
      access: sandbox.tree === 'read-only' ? 'read' : 'write',
      kind: own ? 'clone' : 'theirs',
    },
    session: directory,
    writable: [config, tmp].flatMap((path) => path ?? []),
    readable: [
      `${directory}/messages`,
      ...(settings === undefined ? [] : [settings]),
      ...(env.AGENCY_SCENARIO === undefined ? [] : [env.AGENCY_SCENARIO]),
      ...(own ? await borrowedBy(worktree.repository) : []),
    ],
    launch: { argv, env },
    terminal: true,
    port: keeper.found.port,
    model,
    programs,
  })
  return {
    order: { argv: [...wrapped.argv], env: { ...wrapped.env }, cwd: wrapped.cwd, walls: wrapped.walls },
    undo: wrapped.undo,
  }
}
