// Finds the root that a command means, once for the life of the process.
import { AgencyError, fail, failure } from '../../base/error/fail.ts'
import { look, markerOf, realPath } from './look.ts'
import { choose, namedPath, upwards } from './rules.ts'
import type { Facts, Place, Root, Where } from './schema.ts'
import { readTrust } from './trust.ts'

export type { Root, Where } from './schema.ts'

const variables = ['AGENCY_ROOT', 'H2_DIR'] as const

const lookUpwards = async (where: Where, list: string): Promise<Place | undefined> => {
  // What may not be looked into cannot be your root.
  for (const directory of upwards(await realPath(where.cwd)))
    if ((await markerOf(directory).catch(() => undefined)) !== undefined) return look(directory, list)
  return undefined
}

/** A list that is not safe trusts nothing; `agency trust` then says what is wrong with it. */
const distrust = (error: unknown): string => {
  if (error instanceof AgencyError && error.code === 'trust_unsafe') return ''
  throw error
}

const gather = async (where: Where, make: boolean): Promise<Facts> => {
  const list = await readTrust(where).catch(distrust)
  const variable = variables.find((name) => where.env[name])
  const value = variable && where.env[variable]
  const home = await look(`${where.home}/.agency`, list)
  const h2 = await look(`${where.home}/.h2`, list)
  if (variable && value)
    return { named: { variable, place: await look(namedPath(value, where), list) }, home, h2, make }
  const above = await lookUpwards(where, list)
  return { ...(above && { upwards: above }), home, h2, make }
}

const act = async (where: Where, make: boolean): Promise<Root> => {
  const choice = choose(await gather(where, make))
  if (choice.do === 'refuse') throw failure(choice.code, choice.facts as never)
  if (choice.do === 'use') return choice.root
  // Loaded by those who need it: it knows all that a root consists of, and a hook must not wait for that.
  const { makeRoot, markRoot } = await import('./init.ts')
  if (choice.do === 'mark') await markRoot(choice.root.directory)
  else await makeRoot(choice.root.directory, where)
  return choice.root
}

const unreadable = (error: unknown): never => {
  if (error instanceof AgencyError) throw error
  return fail('root_unreadable', {
    why: error instanceof Error ? error.message : String(error),
    cause: error,
  })
}

const known = new Map<string, Promise<Root>>()

/** `make`: the command is one that makes a root where none is (`up`, `start`). A failure is not remembered. */
export const findRoot = (where: Where, make = false): Promise<Root> => {
  const { AGENCY_ROOT, H2_DIR, XDG_CONFIG_HOME } = where.env
  const key = JSON.stringify([AGENCY_ROOT, H2_DIR, XDG_CONFIG_HOME, where.cwd, where.home, make])
  const before = known.get(key)
  if (before !== undefined) return before
  const root = act(where, make).catch(unreadable)
  known.set(key, root)
  root.catch(() => known.delete(key))
  return root
}
