// Whose objects a repository uses besides its own: a clone over it needs to see all of them.
import { realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { readText } from '../base/file/read.ts'
import { findRepository } from './repository.ts'

/** As git itself. */
const deepest = 5

const chain = async (objects: string, depth: number): Promise<readonly string[]> => {
  const read = await readText(join(objects, 'info/alternates'), { nofollow: true })
  const lines = 'text' in read && depth < deepest ? read.text.split('\n') : []
  const named = lines.filter((line) => line !== '' && !line.startsWith('#'))
  const below = await Promise.all(named.map((line) => chain(resolve(objects, line), depth + 1)))
  return [objects, ...below.flat()]
}

/** Of the user's own repository: what a file in a clone says of this is never followed. */
export const borrowedBy = async (directory: string): Promise<readonly string[]> => {
  const { repository } = await findRepository(directory)
  if (repository === undefined) return []
  return chain(await realpath(join(repository.common, 'objects')), 0)
}
