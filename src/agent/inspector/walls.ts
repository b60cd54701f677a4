// Walls around a reviewer: it sees the tree and can change nothing, and reaches nothing but its model.
import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { AgencyError } from '../../base/error/fail.ts'
import { isWithin } from '../../base/path/rules.ts'
import { layout } from '../../config/layout/rules.ts'
import { isListed } from '../../driver/claude/env/rules.ts'
import type { Launch } from '../../driver/schema.ts'
import { type Doors, openDoors } from '../../keeper/doors.ts'
import type { Role } from '../../role/schema.ts'
import type { findBuilder } from '../../sandbox/find.ts'
import { placeTrouble } from '../../sandbox/policy/rules.ts'
import { egressPort } from '../../sandbox/relay/schema.ts'
import type { Trouble } from '../../sandbox/schema.ts'
import { wrapLaunch } from '../../sandbox/wrap.ts'
import type { Environment } from '../../session/plan/schema.ts'
import { credentialsOf, loginFor } from '../../session/prepare.ts'
import type { Programs } from '../../session/programs.ts'
import type { Place } from '../aside/place.ts'
import type { Thinker } from '../aside/thinker.ts'
import { unfitPlace } from '../place/rules.ts'

/** Nothing but the model, whatever the agent itself may reach. */
const settings = { enabled: true, network: 'none' } as const

/** Providers that are not reached by one address and one key. */
const elsewhere = ['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'] as const

export type Find = typeof findBuilder

/** What lies in the root and is none of what it keeps for itself. */
const isWorkOf = (root: string, tree: string): boolean => {
  if (!isWithin(root, tree) || tree === root) return false
  const { work, worktrees, projects } = layout(root)
  const isIn = (place: string): boolean => place !== tree && isWithin(place, tree)
  return [work, worktrees, projects].some(isIn) || unfitPlace(tree.slice(root.length + 1)) === undefined
}

/** Why there can be no walls here; undefined = there can. */
export const wallTrouble = async (
  { root, tree, env }: { readonly root: string; readonly tree: string; readonly env: Environment },
  find: Find,
): Promise<Trouble | undefined> => {
  const provider = elsewhere.find((name) => (env[name] ?? '') !== '')
  if (provider !== undefined)
    return { cause: `${provider} is set, and no relay leads there`, fix: 'Use a login of Claude itself.' }
  const [own, home] = await Promise.all([realpath(root), realpath(env.HOME || homedir())])
  const kind = isWorkOf(own, tree) ? 'work' : 'theirs'
  const trouble = placeTrouble({ root: own, home, tree: { path: tree, access: 'read', kind } })
  if (trouble !== undefined) return trouble
  const found = await find()
  return 'path' in found ? undefined : found
}

/** Who it is to the model: inside it holds no key. */
export const walledLogin = async (root: string, role: Role, env: Environment) => {
  const { login } = await loginFor({ ...role, sandbox: settings }, await credentialsOf(root, role), { env })
  const caller = Object.fromEntries(Object.entries(env).filter(([name]) => isListed(name)))
  return { caller, credentials: login.variables, model: login.model }
}

export type Walled = Pick<Launch, 'argv' | 'env'> & { readonly cwd: string; readonly doors: Doors }

export type Walling = {
  readonly root: string
  readonly agent: string
  readonly tree: string
  readonly place: Place
  readonly launch: Launch
  readonly thinker: Thinker
  readonly model: Awaited<ReturnType<typeof walledLogin>>['model']
  readonly programs: Programs['walls']
  readonly find: Find
}

/** Its directory is the empty one: what lies in the tree is read, and never taken for the project of the reviewer. */
export const wall = async ({ place, launch, thinker, ...wanted }: Walling): Promise<Walled> => {
  const { root, agent, tree, model, programs, find } = wanted
  const wrapped = await wrapLaunch(
    {
      agent,
      settings,
      root,
      home: thinker.env.HOME || homedir(),
      tree: { path: place.cwd, access: 'read', kind: 'work' },
      session: place.directory,
      writable: [place.paths.config, place.paths.tmp],
      readable: [tree, ...(thinker.scenario === undefined ? [] : [thinker.scenario])],
      launch,
      terminal: false,
      // Where an agent has its hooks: nobody answers there.
      port: egressPort + 1,
      model,
      programs,
    },
    find,
  )
  const doors = openDoors(place.directory, (connection) => connection.destroy())
  await doors.open(wrapped.walls)
  return { argv: wrapped.argv, env: wrapped.env, cwd: wrapped.cwd, doors }
}

export const wallWords = (error: unknown): string => {
  if (error instanceof AgencyError) return [error.message, error.words?.next].filter(Boolean).join(' ')
  return (error as Error).message
}
