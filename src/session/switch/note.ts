// What of a switched role is noted beside the session: what a resume goes by, and what its calls are judged by.
import { join } from 'node:path'
import { writeAtomic } from '../../base/file/write.ts'
import type { Role } from '../../role/schema.ts'
import { readSessionFile } from '../heard.ts'
import { keptOf, narrowedTo } from '../kept/rules.ts'
import { readKept, writeKept } from '../kept.ts'
import { renamed } from './rules.ts'

/** From the next resume on it has this role. */
export const noteRole = async (directory: string, role: string): Promise<void> => {
  const file = await readSessionFile(directory)
  if (file === undefined || file.role === role) return
  const text = `${JSON.stringify(renamed(file, role), null, 2)}\n`
  await writeAtomic(join(directory, 'session.json'), text, 0o600)
}

/** What either role refuses is refused from now on. `current`: for a session that kept none. */
export const narrow = async (directory: string, next: Role, current: () => Promise<Role>): Promise<void> => {
  const kept = (await readKept(directory)) ?? keptOf(await current(), undefined)
  await writeKept(directory, narrowedTo(kept, next))
}

/** As it was before `narrow`. */
export const widen = async (directory: string): Promise<void> => {
  const kept = await readKept(directory)
  if (kept?.next === undefined) return
  const { next: _withdrawn, ...before } = kept
  await writeKept(directory, before)
}
