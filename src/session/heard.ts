// How far the transcript of a session was heard, and which conversation it is now: beside the session, so that a
// host that starts again goes on there.
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { readText } from '../base/file/read.ts'
import { writeAtomic } from '../base/file/write.ts'
import { type SessionFile, sessionFile } from './plan/schema.ts'

const heard = z.object({
  path: z.string().startsWith('/'),
  offset: z.int().min(0),
  // What the lines before it told: of most lines only those before tell which turn they are about.
  told: z.string().exactOptional(),
  fresh: z.boolean().exactOptional(),
})
export type Heard = z.infer<typeof heard>

const placeIn = (directory: string): string => join(directory, 'heard.json')
const fileIn = (directory: string): string => join(directory, 'session.json')

const readAs = async <S extends z.ZodType>(file: string, schema: S): Promise<z.infer<S> | undefined> => {
  const read = await readText(file, { nofollow: true })
  try {
    return 'text' in read ? schema.safeParse(JSON.parse(read.text)).data : undefined
  } catch {
    // Not JSON: as good as not there.
    return undefined
  }
}

export const readHeard = (directory: string): Promise<Heard | undefined> => readAs(placeIn(directory), heard)

/** Not synced: it has to outlive this process, not the machine, which would take the session with it. */
export const saveHeard = (directory: string, place: Heard): void => {
  const file = placeIn(directory)
  writeFileSync(`${file}.new`, JSON.stringify(place), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

export const readSessionFile = (directory: string): Promise<SessionFile | undefined> =>
  readAs(fileIn(directory), sessionFile)

/** The CLI has begun another conversation: that is the one to resume. */
export const renameSession = async (directory: string, id: string): Promise<void> => {
  const file = await readSessionFile(directory)
  if (file === undefined || file.session_id === id) return
  await writeAtomic(fileIn(directory), `${JSON.stringify({ ...file, session_id: id }, null, 2)}\n`)
}
