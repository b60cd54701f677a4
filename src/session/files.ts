// The files of a session: made with the modes they need, and taken back as they were.
import { chmod, cp, lstat, mkdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { readText } from '../base/file/read.ts'
import { writeAtomic } from '../base/file/write.ts'
import type { Undo } from '../base/undo.ts'
import type { PlannedFile } from './plan/schema.ts'

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

/** What is above them stays: others may use it by now. */
export const makeDirectories = async (directories: readonly string[], undo: Undo): Promise<void> => {
  for (const directory of directories) {
    await mkdir(dirname(directory), { recursive: true, mode: 0o700 })
    const made = await mkdir(directory, { recursive: true, mode: 0o700 })
    const step = () => rm(directory, { recursive: true, force: true, maxRetries: 5 })
    if (made !== undefined) undo.add(`remove ${directory}`, step)
    await chmod(directory, 0o700)
  }
}

/**
 * From `base`, which is there, down to where the CLI writes its transcript: left to itself it makes these directories for
 * everybody to read. What the agent put there instead is not followed.
 */
export const makePrivate = async (base: string, place: string): Promise<void> => {
  let path = base
  for (const step of relative(base, place).split('/')) {
    path = join(path, step)
    await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    if (!(await lstat(path)).isDirectory()) return
    await chmod(path, 0o700)
  }
}

/** What every new agent begins with. A login is never copied: two who refresh it lock each other out. */
export const copyDefaults = async (from: string, to: string): Promise<void> => {
  if (!(await exists(from)) || (await exists(`${to}/.claude.json`))) return
  await cp(from, to, {
    recursive: true,
    force: false,
    filter: (source) => basename(source) !== '.credentials.json',
  })
}

/** The CLI spells its own files differently, and says the same. */
const isSame = (one: string, other: string): boolean => {
  try {
    return one === other || isDeepStrictEqual(JSON.parse(one), JSON.parse(other))
  } catch {
    return false
  }
}

/** `write`: how, where it need not outlive a power cut. */
export const writeFiles = async (
  files: readonly PlannedFile[],
  undo: Undo,
  write: typeof writeAtomic = writeAtomic,
): Promise<void> => {
  for (const { path, text, mode } of files) {
    const before = await readText(path, { nofollow: true, limit: 16 * 1024 * 1024 })
    if ('text' in before && isSame(before.text, text)) continue
    undo.add(`restore ${path}`, () =>
      'text' in before ? write(path, before.text, mode) : rm(path, { force: true }),
    )
    await write(path, text, mode)
  }
}

/** Of a session before, which cannot be resumed once another one has begun in its place. */
export const dropFile = async (path: string, undo: Undo): Promise<void> => {
  const before = await readText(path, { nofollow: true })
  if (!('text' in before)) return
  undo.add(`restore ${path}`, () => writeAtomic(path, before.text))
  await rm(path, { force: true })
}

/** They hold a secret, and the session has read them. */
export const removeRead = async (files: readonly PlannedFile[]): Promise<void> => {
  for (const { path, once } of files) if (once) await rm(path, { force: true })
}
