// Where the files of a task lie. A link in that place is never followed, by whoever it was put there.
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '../../base/error/fail.ts'
import { makeDirectory } from '../../base/file/directory.ts'
import { syncPath } from '../../base/file/write.ts'
import { layout } from '../../config/layout/rules.ts'
import { taskId } from '../schema.ts'

const stateOf = async (path: string): Promise<'directory' | 'missing' | 'other'> => {
  try {
    return (await lstat(path)).isDirectory() ? 'directory' : 'other'
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'missing'
    throw error
  }
}

const pathOf = (root: string, id: string): string => join(layout(root).history, taskId.parse(id))

/** Its directory, if there is one. */
export const findPlace = async (root: string, id: string): Promise<string | undefined> => {
  const place = pathOf(root, id)
  for (const path of [layout(root).history, place]) {
    const state = await stateOf(path)
    if (state === 'missing') return undefined
    if (state === 'other') fail('history_unsafe', { task: id, path })
  }
  return place
}

/** Made where there is none. A power cut may take it back. */
export const openPlace = async (root: string, id: string): Promise<string> => {
  const found = await findPlace(root, id)
  if (found !== undefined) return found
  const place = pathOf(root, id)
  await makeDirectory(place, 0o700)
  return (await findPlace(root, id)) ?? fail('history_unsafe', { task: id, path: place })
}

/** As that, to stay also after a power cut. */
export const makePlace = async (root: string, id: string): Promise<string> => {
  const found = await findPlace(root, id)
  if (found !== undefined) return found
  const place = await openPlace(root, id)
  await syncPath(layout(root).history)
  return place
}

export const names = {
  prompt: (number: number): string => `prompt-${number}`,
  stdout: (attempt: number): string => `stdout-${attempt}`,
  stderr: (attempt: number): string => `stderr-${attempt}`,
  session: 'session',
} as const
