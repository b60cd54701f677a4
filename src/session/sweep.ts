// Removes the directory of a session that is over: nothing outside it, and nothing that a link in it names.
import { randomBytes } from 'node:crypto'
import { lstat, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '../base/error/fail.ts'
import { namePattern } from '../base/name/schema.ts'
import { layout } from '../config/layout/rules.ts'
import { running } from './gc/look.ts'
import { restPattern } from './gc/rules.ts'

const isDirectory = async (path: string): Promise<boolean> => (await lstat(path)).isDirectory()

const remove = async (sessions: string, entry: string): Promise<string | undefined> => {
  if (!(await isDirectory(sessions)))
    return `${sessions} is a symbolic link, and what it names is not touched`
  const from = join(sessions, entry)
  if (!(await isDirectory(from))) return 'it is not a directory'
  const isRest = restPattern.test(entry)
  const aside = isRest ? from : join(sessions, `.removed-${entry}-${randomBytes(6).toString('hex')}`)
  if (!isRest) await rename(from, aside)
  const alive = (await isDirectory(aside)) ? await running(aside) : 'it is not a directory any more'
  if (alive !== undefined) {
    if (!isRest) await rename(aside, from)
    return alive
  }
  // Removes links themselves, never what they name.
  await rm(aside, { recursive: true, maxRetries: 3 })
  return undefined
}

/**
 * Undefined when it is gone; else why it stays. It is moved aside before it is looked at again: a launch that
 * began meanwhile either is seen then, or makes a directory of its own.
 */
export const removeSession = async (root: string, entry: string): Promise<string | undefined> => {
  if (!restPattern.test(entry) && !namePattern.test(entry))
    fail('validation_error', { what: `${JSON.stringify(entry)} is not the name of a session's directory.` })
  try {
    return await remove(layout(root).sessions, entry)
  } catch (error) {
    // Somebody else removes it at the same time.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
