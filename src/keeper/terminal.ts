// A pseudo terminal. The package opens and sizes it; reading and writing are done here, because the package
// drops what is unread 200 ms after the child's end, and hangs on a child that does not read its input.
import { closeSync, constants, openSync, readSync, write as writeFile } from 'node:fs'
import { createRequire } from 'node:module'
import { setTimeout as wait } from 'node:timers/promises'
import { ReadStream } from 'node:tty'
import { promisify } from 'node:util'
import { failure } from '../base/error/fail.ts'
import type { Size } from './schema.ts'

type Native = {
  open(columns: number, rows: number): { master: number; slave: number; pty: string }
  resize(fd: number, columns: number, rows: number): void
}
type Package = { requireBinary(name: string): Native }

const native = (): Native =>
  (createRequire(import.meta.url)('@lydell/node-pty/requireBinary.js') as Package).requireBinary('pty.node')

const put = promisify(writeFile)

export type Terminal = {
  /** What a child must open to have it as its controlling terminal. */
  readonly path: string
  /** Open here and inherited by every child, unless it is given something else under this number. */
  readonly inherited: number
  /** Resolves when the terminal has taken all of it. */
  write(bytes: Uint8Array): Promise<void>
  resize(size: Size): void
  /** Reads on the spot what is there. After a process has ended this is all that it ever printed. */
  drain(): void
  close(): void
}

const buffered = 64 * 1024
/** Typed ahead of a program that does not read. */
const inputLimit = 1024 * 1024

export const openTerminal = ({ columns, rows }: Size, output: (bytes: Buffer) => void): Terminal => {
  const pty = native()
  const { master, slave, pty: path } = pty.open(columns, rows)
  // Held until the end: without it the child's end hangs up the terminal, and Node drops what it has not read.
  // Opened anew because the package's own would be inherited by the child.
  const held = openSync(path, constants.O_RDWR | constants.O_NOCTTY)
  closeSync(slave)

  // One buffer for the life of the terminal: a flood makes no garbage.
  const buffer = Buffer.allocUnsafe(buffered)
  const options = {
    onread: {
      buffer,
      callback: (length: number) => {
        output(buffer.subarray(0, length))
        return true
      },
    },
  }
  const stream = new (ReadStream as new (fd: number, options: object) => ReadStream)(master, options)
  let closed = false
  let waiting = 0
  let last = Promise.resolve()
  stream.on('error', () => {
    // EIO: nobody has the terminal open any more. The end of the child is told by its exit.
  })
  stream.resume()

  const writeAll = async (bytes: Uint8Array): Promise<void> => {
    for (let at = 0, pause = 1; at < bytes.length && !closed; ) {
      try {
        const { bytesWritten } = await put(master, bytes, at)
        at += bytesWritten
        pause = 1
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
        // Full: the program has not read yet. There is no event for it that Node passes on.
        await wait(pause)
        pause = Math.min(pause * 2, 100)
      }
    }
  }

  const drain = (): void => {
    if (closed) return
    const piece = Buffer.allocUnsafe(buffered)
    try {
      for (let length = readSync(master, piece); length > 0; length = readSync(master, piece))
        output(piece.subarray(0, length))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // Nothing more now, or nobody there.
      if (code !== 'EAGAIN' && code !== 'EIO') throw error
    }
  }

  return {
    path,
    inherited: master,
    write: (bytes) => {
      if (waiting + bytes.length > inputLimit) return Promise.reject(failure('input_full', {}))
      waiting += bytes.length
      const done = last
        .then(() => writeAll(bytes))
        .finally(() => {
          waiting -= bytes.length
        })
      last = done.catch(() => {})
      return done
    },
    resize: (size) => {
      if (!closed) pty.resize(master, size.columns, size.rows)
    },
    drain,
    close: () => {
      if (closed) return
      closed = true
      // A write may still be on its way to this number: it is not given back before.
      void last.then(() => stream.destroy())
      closeSync(held)
    },
  }
}
