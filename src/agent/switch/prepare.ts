// What a launch in another role is planned from, and whether it could be.
import { realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fail } from '../../base/error/fail.ts'
import type { Recalled } from '../../keeper/schema.ts'
import type { LoadedRole } from '../../role/load.ts'
import type { Last } from '../../session/last.ts'
import { type Caller, prepare } from '../../session/prepare.ts'
import { inPlace } from '../../session/switch/rules.ts'
import { readRecord } from '../../worktree/record.ts'
import { worktreesOf } from '../../worktree/rules.ts'
import { type AgainOptions, type Beginning, startOf } from '../again.ts'
import { withKeeper } from './held.ts'

export type Rehearsing = Pick<AgainOptions, 'root' | 'callerOf'> & {
  readonly scripted: () => string
  readonly now: () => number
}

/** The config directory of a conversation, where it is not the session's own. */
const sharedConfig = async ({ directory, transcript }: Last): Promise<string | undefined> => {
  const config = dirname(dirname(dirname(transcript)))
  const own = join(await realpath(directory), '.claude')
  return config === own || config === join(directory, '.claude') ? undefined : config
}

/** What a launch in the new role is planned from. */
export const beginningOf = async (
  callerOf: AgainOptions['callerOf'],
  last: Last,
  loaded: LoadedRole,
  { caller: env }: Recalled,
): Promise<Beginning> => {
  const { file } = last
  const role = inPlace(loaded.role, file, await sharedConfig(last))
  const { pod, forked_from: session, worktree, cwd, arguments: extra } = file
  const caller: Caller = callerOf({ cwd: worktree ?? cwd, env: env ?? {} })
  return {
    caller,
    start: await startOf(last),
    name: file.agent,
    mine: file.agent,
    pod,
    what: { role: { ...loaded, role, overrides: {} }, extra },
    switched: true,
    ...(session === undefined ? {} : { fork: { session } }),
  }
}

/** A linked worktree leaks or breaks within walls, so there it would have to be another tree. */
const checkTree = async (root: string, { file }: Last, { role }: LoadedRole): Promise<void> => {
  const walled = role.sandbox !== undefined && role.sandbox.enabled !== false
  if (file.worktree === undefined || !walled) return
  if ((await readRecord(await realpath(worktreesOf(root)), file.agent))?.clone) return
  const why = `"${role.name}" works in a sandbox, which needs a work tree of another kind than it has; launch a new agent for it`
  fail('role_not_switchable', { agent: file.agent, why })
}

/** Whatever would refuse the launch refuses the switch, while nothing has changed. */
export const rehearse = async (
  { root, callerOf, scripted, now }: Rehearsing,
  last: Last,
  loaded: LoadedRole,
): Promise<void> => {
  const { agent } = last.file
  await checkTree(root, last, loaded)
  const recalled = await withKeeper(last.directory, (keeper) => keeper.recall()).catch(() =>
    fail('role_not_switchable', {
      agent,
      why: `its keeper is one of an older version; type \`agency stop ${agent}\`, switch, then \`agency session resume ${agent}\``,
    }),
  )
  const beginning = await beginningOf(callerOf, last, loaded, recalled)
  const at = new Date(now()).toISOString()
  const known = { root, taken: () => [], scripted: scripted(), at }
  ;(await prepare({ ...beginning, ...known })).plan()
}
