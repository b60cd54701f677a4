// The texts that ask for a review: `block-<id>.md`, those of the root before those that ship.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Setting, Template } from '../schema.ts'
import { chosen, fallback, idPattern, readable } from './rules.ts'

const named = /^block-(.+)\.md$/

/** Where a directory cannot be read there are none in it: a text is never worth an open gate. */
const idsIn = async (directory: string): Promise<readonly string[]> => {
  const files = await readdir(directory).catch(() => [])
  return files
    .flatMap((file) => named.exec(file)?.[1] ?? [])
    .filter((id) => idPattern.test(id))
    .sort()
}

const textOf = async (directories: readonly string[], id: string): Promise<string | undefined> => {
  for (const directory of directories) {
    const bytes = await readFile(join(directory, `block-${id}.md`)).catch(() => undefined)
    const text = bytes === undefined ? undefined : readable(bytes.toString('utf8'))
    if (text !== undefined) return text
  }
  return undefined
}

/** Never fails: what is missing, empty, huge or no text is replaced by the text in the program. */
export const loadTemplate = async (
  setting: Setting['templates'],
  directories: readonly string[],
  chance: number,
): Promise<Template> => {
  const known = new Set((await Promise.all(directories.map(idsIn))).flat())
  const id = chosen(setting, [...known], chance)
  const text = id !== undefined && idPattern.test(id) ? await textOf(directories, id) : undefined
  return id === undefined || text === undefined ? fallback : { id, text }
}
