// Finds keepers, and what they wrote, by the directories of their sessions.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type * as z from 'zod'
import { readText } from '../base/file/read.ts'
import { alive } from '../base/process/identity.ts'
import { layout } from '../config/layout/rules.ts'
import { type Card, card, type Exit, exit } from './schema.ts'

export const placesOf = (directory: string) => ({
  card: join(directory, 'keeper.json'),
  socket: join(directory, 'keeper.sock'),
  log: join(directory, 'keeper.log'),
  exit: join(directory, 'exit.json'),
  scrollback: join(directory, 'scrollback'),
  stdout: join(directory, 'stdout'),
  stderr: join(directory, 'stderr'),
})

export type Found = Card & { readonly directory: string }

/** What is not there, or not of a form we know, is as if it were not there: such a keeper cannot be spoken to. */
const readAs = async <S extends z.ZodType>(file: string, schema: S): Promise<z.infer<S> | undefined> => {
  const read = await readText(file, { nofollow: true })
  if (!('text' in read)) return undefined
  try {
    return schema.safeParse(JSON.parse(read.text)).data
  } catch {
    // Both files are written whole; who wrote this was no keeper.
    return undefined
  }
}

export const readCard = (directory: string): Promise<Card | undefined> =>
  readAs(placesOf(directory).card, card)

/** How the session's last launch ended; undefined while it runs, and when its keeper was killed. */
export const readExit = (directory: string): Promise<Exit | undefined> =>
  readAs(placesOf(directory).exit, exit)

const foldersIn = async (directory: string): Promise<readonly string[]> => {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(directory, name))
}

/** The keeper of this session directory, if it lives: pid *and* start time. */
export const findKeeper = async (directory: string): Promise<Found | undefined> => {
  const found = await readCard(directory)
  return found !== undefined && alive(found) ? { ...found, directory } : undefined
}

/** All live keepers of a root: an agent's directory, and those one below for its single sessions. */
export const findKeepers = async (root: string): Promise<readonly Found[]> => {
  const agents = await foldersIn(layout(root).sessions)
  const below = await Promise.all(agents.map(foldersIn))
  const found = await Promise.all([...agents, ...below.flat()].map(findKeeper))
  return found.filter((keeper) => keeper !== undefined)
}
