// The conversation that a task leaves: what the CLI wrote down of it, and the directory it worked in. Both may hold
// what agency itself never writes, so they go with the last task that tells of them.
import { randomBytes } from 'node:crypto'
import { lstat, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { readText } from '../../base/file/read.ts'
import { writeAtomic } from '../../base/file/write.ts'
import { name } from '../../base/name/schema.ts'
import { layout } from '../../config/layout/rules.ts'
import { removeSnapshots } from '../../worktree/vault.ts'
import { configOf } from '../plan/rules.ts'
import { findPlace, makePlace, names } from './place.ts'

const owner = z.object({ agent: name, session: z.uuid() })
/** Checked before it becomes part of a path. */
export type Owner = z.infer<typeof owner>

/** By the files of a task, so that it is known also when the task is not. */
export const keepOwner = async (root: string, id: string, { agent, session }: Owner): Promise<void> =>
  writeAtomic(join(await makePlace(root, id), names.session), JSON.stringify({ agent, session }))

export const readOwner = async (root: string, id: string): Promise<Owner | undefined> => {
  const place = await findPlace(root, id)
  if (place === undefined) return undefined
  const read = await readText(join(place, names.session), { limit: 1024, nofollow: true })
  try {
    return 'text' in read ? owner.parse(JSON.parse(read.text)) : undefined
  } catch {
    // Nobody knows whose it is: nothing is removed for it.
    return undefined
  }
}

const isDirectory = async (path: string): Promise<boolean> =>
  lstat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

/** Commits nobody else has may be in there; that there are none is not looked for. Fails closed. */
const hasRepository = async (directory: string): Promise<boolean> => {
  const entries = await readdir(directory, { withFileTypes: true })
  const has = (...wanted: string[]): boolean =>
    wanted.every((one) => entries.some((each) => each.name === one))
  if (has('.git') || has('HEAD', 'objects', 'refs')) return true
  for (const entry of entries)
    if (entry.isDirectory() && (await hasRepository(join(directory, entry.name)))) return true
  return false
}

/** In the places where the CLI keeps things by session; deeper it has none. */
const depth = 3

/** Everything that is called after the session. A link is not followed, but goes if it is called so. */
const forgetTraces = async (directory: string, session: string, left = depth): Promise<void> => {
  if (!(await isDirectory(directory))) return
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.name.includes(session)) await rm(path, { recursive: true, force: true, maxRetries: 3 })
    else if (left > 1 && entry.isDirectory()) await forgetTraces(path, session, left - 1)
  }
}

/** Why it stays; undefined = it is gone. Moved aside first: who begins meanwhile makes one of its own. */
const forgetWork = async (
  work: string,
  session: string,
  wanted: () => boolean,
): Promise<string | undefined> => {
  const place = join(work, session)
  if (!(await isDirectory(work)) || !(await isDirectory(place))) return undefined
  if (await hasRepository(place)) return `${place} holds a git repository`
  const aside = join(work, `.removed-${session}-${randomBytes(6).toString('hex')}`)
  await rename(place, aside)
  if (wanted()) await rename(aside, place)
  else await rm(aside, { recursive: true, force: true, maxRetries: 3 })
  return undefined
}

/** `wanted` = another task tells of it. What of it stays, and why; undefined = nothing. */
export const forgetSession = async (
  root: string,
  { agent, session }: Owner,
  wanted: () => boolean,
): Promise<string | undefined> => {
  if (wanted()) return undefined
  const { sessions, session: sessionOf, work } = layout(root)
  const left = await forgetWork(work, session, wanted)
  if (!wanted() && (await isDirectory(sessions)) && (await isDirectory(sessionOf(agent))))
    await forgetTraces(configOf(root, agent), session)
  if (!wanted()) await removeSnapshots({ root, session })
  return left
}
