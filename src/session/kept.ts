import { readText } from '../base/file/read.ts'
import { writeAtomic } from '../base/file/write.ts'
import { keptIn, keptText } from './kept/rules.ts'
import { type KeptRole, keptRole } from './kept/schema.ts'

/** undefined = the session was launched before roles were kept, or the file is not what was written. */
export const readKept = async (directory: string): Promise<KeptRole | undefined> => {
  const read = await readText(keptIn(directory), { nofollow: true })
  try {
    return 'text' in read ? keptRole.safeParse(JSON.parse(read.text)).data : undefined
  } catch {
    // Not JSON: as good as not there, and whoever asks then assumes the least.
    return undefined
  }
}

/** At once or not at all: whoever reads it meanwhile reads the one or the other. */
export const writeKept = (directory: string, kept: KeptRole): Promise<void> =>
  writeAtomic(keptIn(directory), keptText(kept), 0o600)
