// The end of what is kept of a task.
import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { layout } from '../../config/layout/rules.ts'
import { taskId } from '../schema.ts'
import { findPlace } from './place.ts'

/** Only what lies in its own directory: of a link in there the link goes, a link in its place stays and is an error. */
export const forgetHistory = async (root: string, id: string): Promise<void> => {
  const place = await findPlace(root, id)
  if (place !== undefined) await rm(place, { recursive: true, force: true })
}

/** Bytes on the disk. */
export const sizeOf = async (root: string, id: string): Promise<number> => {
  const place = await findPlace(root, id)
  const found = place === undefined ? [] : await readdir(place)
  const sizes = await Promise.all(
    // It may be forgotten meanwhile.
    found.map((name) =>
      lstat(join(place ?? '', name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((total, size) => total + size, 0)
}

/** Whose history is there. */
export const listHistory = async (root: string): Promise<readonly string[]> => {
  try {
    const entries = await readdir(layout(root).history)
    return entries.filter((name) => taskId.safeParse(name).success)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
