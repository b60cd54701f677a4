// Follows a transcript as it grows. It may not be there yet, end in half a line, be cut short or be replaced; looked
// at again and again rather than watched, because that works on every file system and costs next to nothing.
import { constants } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'

export type Place = {
  readonly path: string
  /** Bytes of whole lines that were heard. */
  readonly offset: number
}

export type TailOptions = {
  readonly from: Place
  readonly line: (text: string) => void
  /** Told after each reading that went on. */
  readonly moved: (place: Place) => void
  /** Milliseconds until it is looked at again. */
  readonly pause: () => number
}

export type Tail = {
  /** Another file, from its start or from what will be added to it. */
  follow(path: string, from: 'start' | 'end'): void
  /** Reads what is there now; resolves when it was heard. */
  read(): Promise<void>
  /** The pause has changed. */
  hurry(): void
  /** Reads what is there now, and ends. */
  close(): Promise<void>
}

const chunk = 256 * 1024
/** A line may hold a picture. What is longer is no line of a transcript. */
const longest = 64 * 1024 * 1024
const newline = 10

/** Never waits for a pipe, never reads a device. */
const openFile = async (path: string): Promise<FileHandle | undefined> => {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined)
  if (handle === undefined || (await handle.stat()).isFile()) return handle
  await handle.close()
  return undefined
}

/** Whole lines of what comes in pieces; what is left of the last one stays. */
const lines = () => {
  let held: Buffer[] = []
  let size = 0
  return {
    size: () => size,
    forget: () => {
      held = []
      size = 0
    },
    /** The lines that end in this piece, each with its length in bytes. */
    take: (piece: Buffer): readonly (readonly [text: string, bytes: number])[] => {
      const found: [string, number][] = []
      let from = 0
      for (let at = piece.indexOf(newline); at !== -1; at = piece.indexOf(newline, from)) {
        const whole = Buffer.concat([...held, piece.subarray(from, at)])
        found.push([whole.length > longest ? '' : whole.toString('utf8'), whole.length + 1])
        held = []
        size = 0
        from = at + 1
      }
      const rest = Buffer.from(piece.subarray(from))
      size += rest.length
      if (size <= longest) held.push(rest)
      return found
    },
  }
}

export const openTail = ({ from, line, moved, pause }: TailOptions): Tail => {
  let { path, offset } = from
  let inode: number | undefined
  let closed = false
  let timer: NodeJS.Timeout | undefined
  let reading: Promise<void> = Promise.resolve()
  const buffer = lines()

  const restart = (): void => {
    offset = 0
    buffer.forget()
  }

  const readFrom = async (handle: FileHandle): Promise<void> => {
    const { size, ino } = await handle.stat()
    // Cut short, or another file in its place: all of it is new, and nothing in it may be missed.
    if (size < offset + buffer.size() || (inode !== undefined && ino !== inode)) restart()
    inode = ino
    const piece = Buffer.allocUnsafe(chunk)
    for (;;) {
      const { bytesRead } = await handle.read(piece, 0, chunk, offset + buffer.size())
      if (bytesRead === 0) return
      for (const [text, bytes] of buffer.take(piece.subarray(0, bytesRead))) {
        offset += bytes
        if (text !== '') line(text)
      }
    }
  }

  const pass = async (): Promise<void> => {
    const before = offset
    const handle = await openFile(path)
    if (handle === undefined) return
    try {
      await readFrom(handle)
    } finally {
      await handle.close()
    }
    if (offset !== before) moved({ path, offset })
  }

  /** One at a time. A reading that fails is tried again with the next. */
  const read = (): Promise<void> => {
    reading = reading.then(pass).catch(() => undefined)
    return reading
  }

  const again = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => void read().then(() => closed || again()), pause())
    timer.unref()
  }
  again()

  return {
    follow: (next, from) => {
      reading = reading.then(async () => {
        if (next === path) return
        path = next
        inode = undefined
        restart()
        if (from === 'end') offset = (await stat(next).catch(() => undefined))?.size ?? 0
      })
      void read()
    },
    read,
    hurry: () => {
      if (!closed) again()
    },
    close: async () => {
      closed = true
      clearTimeout(timer)
      await read()
    },
  }
}
