// Reads a file that others may have made: never hangs, never reads without end, never guesses an encoding.
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

export type Text = {
  readonly text: string
  /** The permission bits. */
  readonly mode: number
  readonly uid: number
}
export type Trouble = {
  readonly trouble: 'missing' | 'irregular' | 'large' | 'encoding' | 'unreadable'
  /** The rest of a sentence that begins with the file's name. */
  readonly says: string
}

// Nobody writes more by hand; and what parses it blocks whoever reads it.
export const sizeLimit = 256 * 1024

const trouble = (trouble: Trouble['trouble'], says: string): Trouble => ({ trouble, says })

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown error'

const refused = (code: string): Trouble => {
  if (code === 'ENOENT' || code === 'ENOTDIR') return trouble('missing', 'does not exist')
  // What O_NOFOLLOW says of a link, and a socket says of being opened.
  if (code === 'ELOOP') return trouble('irregular', 'is not a regular file but a symbolic link')
  if (code === 'ENXIO') return trouble('irregular', 'is not a regular file')
  if (code === 'EACCES' || code === 'EPERM') return trouble('unreadable', 'may not be read by you')
  return trouble('unreadable', `cannot be read (${code})`)
}

const more = 64 * 1024

/** At most one byte more than `limit`: a file can grow while it is read. No room is made that is not needed. */
const bytes = async (handle: FileHandle, size: number, limit: number): Promise<Buffer> => {
  const pieces: Buffer[] = []
  let length = 0
  for (let room = size + 1; length <= limit; room = Math.min(more, limit + 1 - length)) {
    const piece = Buffer.allocUnsafe(room)
    const { bytesRead } = await handle.read(piece, 0, room, null)
    if (bytesRead === 0) break
    pieces.push(piece.subarray(0, bytesRead))
    length += bytesRead
  }
  return Buffer.concat(pieces)
}

const decode = (read: Buffer): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(read)
  } catch {
    // The only thing a fatal decoder throws: these bytes are no UTF-8.
    return undefined
  }
}

const readHandle = async (handle: FileHandle, limit: number): Promise<Text | Trouble> => {
  const facts = await handle.stat()
  if (!facts.isFile()) return trouble('irregular', 'is not a regular file')
  const large = trouble('large', `is larger than ${Math.floor(limit / 1024)} KB`)
  if (facts.size > limit) return large
  const read = await bytes(handle, facts.size, limit)
  if (read.length > limit) return large
  const text = decode(read)
  if (text === undefined) return trouble('encoding', 'is not valid UTF-8 text')
  return { text, mode: facts.mode & 0o7777, uid: facts.uid }
}

export type Care = {
  readonly limit?: number /** A symbolic link is no regular file. */
  readonly nofollow?: boolean
}

export const readText = async (file: string, care: Care = {}): Promise<Text | Trouble> => {
  const { limit = sizeLimit, nofollow = false } = care
  // Without O_NONBLOCK, opening a FIFO waits until somebody writes.
  const flags =
    constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY | (nofollow ? constants.O_NOFOLLOW : 0)
  try {
    const handle = await open(file, flags)
    try {
      return await readHandle(handle, limit)
    } finally {
      await handle.close()
    }
  } catch (error) {
    return refused(codeOf(error))
  }
}
