// What a session prints, on the disk. It is also the only buffer of its clients: each reads from here at its
// own pace, so that a slow one costs no memory and holds up nobody.
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Extent } from './schema.ts'

export type Output = {
  /** Never throws: what the disk does not take is counted, and the child goes on. Whether it took all. */
  append(bytes: Uint8Array): boolean
  extent(): Extent
  /** Fills `room` from `at` on as far as it can; how many bytes, 0 at the end. */
  read(at: number, room: Buffer): number
  close(): void
}

const writeAll = (handle: number, bytes: Uint8Array): number => {
  let written = 0
  try {
    while (written < bytes.length) written += writeSync(handle, bytes, written)
  } catch {
    // Disk full: the caller counts what is missing.
  }
  return written
}

/** Keeps the beginning: a headless session's output is read as a whole, and its end without it is worthless. */
export const openSpool = (file: string, limit: number): Output => {
  const handle = openSync(file, 'a+', 0o600)
  let to = statSync(file).size
  let dropped = 0
  return {
    append: (bytes) => {
      const taken = bytes.subarray(0, Math.max(0, limit - to))
      const written = writeAll(handle, taken)
      to += written
      dropped += bytes.length - written
      return written === bytes.length
    },
    extent: () => ({ from: 0, to, dropped }),
    read: (at, room) => readSync(handle, room, 0, Math.max(0, Math.min(room.length, to - at)), at),
    close: () => closeSync(handle),
  }
}

type Segment = { readonly start: number; readonly handle: number; readonly file: string; length: number }

/** A name tells where its segment starts; as many digits as any session needs, so that names sort. */
const nameOf = (start: number): string => String(start).padStart(15, '0')
const segmentName = /^\d{15}$/

export const scrollbackLimits = { segment: 1024 * 1024, keep: 4 }

/** Keeps the end, in segments of which the oldest goes. */
export const openScrollback = (directory: string, { segment, keep } = scrollbackLimits): Output => {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const segments: Segment[] = []
  let to = 0
  let dropped = 0

  const begin = (): Segment => {
    const file = join(directory, nameOf(to))
    const next = { start: to, handle: openSync(file, 'wx+', 0o600), file, length: 0 }
    segments.push(next)
    if (segments.length > keep + 1) {
      const oldest = segments.shift() as Segment
      closeSync(oldest.handle)
      rmSync(oldest.file, { force: true })
    }
    return next
  }

  const put = (bytes: Uint8Array): void => {
    const last = segments.at(-1)
    const into = last !== undefined && last.length < segment ? last : begin()
    const part = bytes.subarray(0, segment - into.length)
    const written = writeAll(into.handle, part)
    into.length += written
    to += written
    dropped += part.length - written
    if (part.length < bytes.length) put(bytes.subarray(part.length))
  }

  return {
    append: (bytes) => {
      const before = to
      try {
        put(bytes)
      } catch {
        // No new segment could be made.
        dropped += bytes.length - (to - before)
      }
      return to - before === bytes.length
    },
    extent: () => ({ from: segments[0]?.start ?? 0, to, dropped }),
    read: (at, room) => {
      const from = segments.find(({ start, length: size }) => at >= start && at < start + size)
      if (from === undefined) return 0
      const inside = at - from.start
      return readSync(from.handle, room, 0, Math.min(room.length, from.length - inside), inside)
    },
    close: () => {
      for (const { handle } of segments) closeSync(handle)
    },
  }
}

/** What is kept of a session's terminal, also after its keeper has gone. */
export const readScrollback = (directory: string): Buffer => {
  try {
    const names = readdirSync(directory)
      .filter((name) => segmentName.test(name))
      .sort()
    return Buffer.concat(names.map((name) => readFileSync(join(directory, name))))
  } catch (error) {
    // Not yet one, or a segment that went while we read: what is there then is read by the next call.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0)
    throw error
  }
}
