import { join } from 'node:path'
import { readText } from '../../base/file/read.ts'

export const instructionsFile = 'permission-reviewer.md'

/** What the reviewer of a session is told; undefined = it has none. Read anew for each request. */
export const instructionsIn = async (directory: string): Promise<string | undefined> => {
  const read = await readText(join(directory, instructionsFile), { nofollow: true })
  const text = 'text' in read ? read.text.trim() : ''
  return text === '' ? undefined : text
}
