// Keeps what a task was told and what it printed. Whoever calls has masked the prompts; output was masked by its keeper.
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { syncPath, writeFleeting } from '../../base/file/write.ts'
import { layout } from '../../config/layout/rules.ts'
import { placesOf } from '../../keeper/find.ts'
import { makePlace, names, openPlace } from './place.ts'
import { keepOwner, type Owner } from './session.ts'

/** On the disk when it resolves. All is synced at once: one after the other would be three waits for the disk. */
export const keepPrompt = async (root: string, id: string, number: number, text: string): Promise<void> => {
  const place = await openPlace(root, id)
  const file = join(place, names.prompt(number))
  await writeFleeting(file, text)
  await Promise.all([file, place, layout(root).history].map(syncPath))
}

export const limits = { beginning: 1024 * 1024, end: 4 * 1024 * 1024, near: 256 * 1024 }
const piece = 1024 * 1024
const lineBreak = 0x0a

export const readAt = async (handle: FileHandle, from: number, to: number): Promise<Buffer> => {
  const room = Buffer.alloc(Math.max(0, to - from))
  let length = 0
  while (length < room.length) {
    const { bytesRead } = await handle.read(room, length, room.length - length, from + length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return room.subarray(0, length)
}

const digestOf = async (handle: FileHandle, from: number, to: number): Promise<string> => {
  const hash = createHash('sha256')
  for (let at = from; at < to; at += piece) hash.update(await readAt(handle, at, Math.min(to, at + piece)))
  return hash.digest('hex')
}

/** The beginning and the end, cut between lines where one ends near there. */
const shortened = async (handle: FileHandle, size: number): Promise<Buffer> => {
  const beginning = await readAt(handle, 0, limits.beginning)
  const end = await readAt(handle, size - limits.end, size)
  const last = beginning.lastIndexOf(lineBreak) + 1
  const next = end.indexOf(lineBreak) + 1
  const from = last > beginning.length - limits.near ? last : beginning.length
  const skipped = next < limits.near ? next : 0
  const to = size - limits.end + skipped
  const said = `[agency: ${to - from} bytes left out, sha256 ${await digestOf(handle, from, to)}]\n`
  const apart = from === last ? '' : '\n'
  return Buffer.concat([beginning.subarray(0, from), Buffer.from(apart + said), end.subarray(skipped)])
}

const careful = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** To read what others may have put there; undefined = no file of its own. */
export const openFile = async (file: string): Promise<FileHandle | undefined> => {
  try {
    const handle = await open(file, careful)
    if ((await handle.stat()).isFile()) return handle
    await handle.close()
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(code)) throw error
  }
  return undefined
}

const keep = async (from: string, to: string): Promise<void> => {
  const handle = await openFile(from)
  // Kept already, and the session was removed since; or it never began.
  if (handle === undefined) return
  try {
    const { size } = await handle.stat()
    const whole = size <= limits.beginning + limits.end
    // It was printed by a process, and none of those outlives a power cut either.
    await writeFleeting(to, whole ? await readAt(handle, 0, size) : await shortened(handle, size))
  } finally {
    await handle.close()
  }
}

/** Once an attempt is over; again, it is the same. */
export const keepOutput = async (
  root: string,
  id: string,
  attempt: number,
  { directory, ...owner }: Owner & { readonly directory: string },
): Promise<void> => {
  const place = await makePlace(root, id)
  const { stdout, stderr } = placesOf(directory)
  await Promise.all([
    keepOwner(root, id, owner),
    keep(stdout, join(place, names.stdout(attempt))),
    keep(stderr, join(place, names.stderr(attempt))),
  ])
}
