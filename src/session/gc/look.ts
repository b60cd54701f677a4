// The session directories of a root, and what of each still runs. Follows no link.
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { alive } from '../../base/process/identity.ts'
import { layout } from '../../config/layout/rules.ts'
import { findKeeper, readCard, readExit } from '../../keeper/find.ts'
import { members } from '../../keeper/members.ts'
import type { Exit } from '../../keeper/schema.ts'
import { readSessionFile } from '../heard.ts'
import type { SessionFile } from '../plan/schema.ts'
import type { Candidate } from './rules.ts'

export type Seen = Pick<Candidate, 'agent' | 'kind' | 'alive' | 'ended' | 'headless' | 'touched'> & {
  readonly directory: string
  readonly file?: SessionFile | undefined
  readonly exit?: Exit | undefined
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code
const missing = (error: unknown): boolean => codeOf(error) === 'ENOENT'

/** The directory, its own entries, and those of its single sessions, one below. */
const foldersIn = async (directory: string): Promise<readonly string[]> => {
  const entries = await readdir(directory, { withFileTypes: true })
  return [directory, ...entries.filter((each) => each.isDirectory()).map(({ name }) => join(directory, name))]
}

const runningIn = async (folder: string): Promise<string | undefined> => {
  const keeper = await findKeeper(folder)
  if (keeper !== undefined) return `it runs (keeper ${keeper.pid})`
  // A keeper that was killed leaves its card, and one that could not end everything says so.
  const [card, exit] = [await readCard(folder), await readExit(folder)]
  const left = [
    ...(card === undefined ? [] : members({ cookie: card.cookie, except: [] })),
    ...(exit?.left ?? []).filter(alive),
  ]
  const pids = [...new Set(left.map(({ pid }) => pid))]
  return pids.length === 0 ? undefined : `processes of it still run: ${pids.join(', ')}`
}

/** What of the session in this directory runs, in words; undefined = nothing. */
export const running = async (directory: string): Promise<string | undefined> => {
  for (const folder of await foldersIn(directory)) {
    const found = await runningIn(folder)
    if (found !== undefined) return found
  }
  return undefined
}

/** 0 for what has gone meanwhile. */
const written = (path: string): Promise<number> =>
  lstat(path).then(
    ({ mtimeMs }) => mtimeMs,
    (error) => {
      if (missing(error)) return 0
      throw error
    },
  )

const lastWritten = async (directory: string): Promise<number> => {
  const paths = [directory, ...(await readdir(directory)).map((name) => join(directory, name))]
  return Math.max(...(await Promise.all(paths.map(written))))
}

const isThere = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    (error) => {
      if (missing(error)) return false
      throw error
    },
  )

const lookInto = async (root: string, agent: string, directory: string): Promise<Seen> => {
  const [file, exit] = [await readSessionFile(directory), await readExit(directory)]
  return {
    agent,
    directory,
    kind: 'directory',
    file,
    exit,
    alive: await running(directory),
    headless: file === undefined && (await isThere(layout(root).agentConfig(agent))),
    ended: exit === undefined ? undefined : Date.parse(exit.at),
    touched: await lastWritten(directory),
  }
}

const see = async (root: string, agent: string): Promise<Seen> => {
  const directory = join(layout(root).sessions, agent)
  const facts = await lstat(directory)
  const of = (kind: Seen['kind']): Seen => ({ agent, directory, kind, touched: facts.mtimeMs })
  if (!facts.isDirectory()) return of(facts.isSymbolicLink() ? 'link' : 'other')
  try {
    return await lookInto(root, agent, directory)
  } catch (error) {
    if (codeOf(error) !== 'EACCES') throw error
    return of('unreadable')
  }
}

/** What their directories are called. */
export const sessionNames = async (root: string): Promise<readonly string[]> => {
  const names = await readdir(layout(root).sessions).catch((error) => {
    if (missing(error)) return []
    throw error
  })
  return names.sort()
}

/** By name. */
export const lookAtSessions = async (root: string): Promise<readonly Seen[]> => {
  const seen: Seen[] = []
  for (const name of await sessionNames(root)) {
    try {
      seen.push(await see(root, name))
    } catch (error) {
      // Gone since the directory was read.
      if (!missing(error)) throw error
    }
  }
  return seen
}
