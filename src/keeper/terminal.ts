// A pseudo terminal. The package opens and sizes it; reading and writing are done here, because the package
// drops what is unread 200 ms after the child's end, and hangs on a child that does not read its input.
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setTimeout as wait } from 'node:timers/promises'
import { ReadStream } from 'node:tty'
import { failure } from '../base/error/fail.ts'
import type { Size } from './schema.ts'

type Native = {
  open(columns: number, rows: number): { master: number; slave: number; pty: string }
  resize(fd: number, columns: number, rows: number): void
}
type Package = { requireBinary(name: string): Native }

const native = (): Native =>
  (createRequire(import.meta.url)('@lydell/node-pty/requireBinary.js') as Package).requireBinary('pty.node')

/** Whether the terminal has taken all of it: false = it was closed, or the caller gave up. */
export type Put = (bytes: Uint8Array, over?: AbortSignal) => Promise<boolean>

export type Terminal = {
  /** What a child must open to have it as its controlling terminal. */
  readonly path: string
  /** Open here and inherited by every child, unless it is given something else under this number. */
  readonly inherited: number
  /** Resolves when the terminal has taken all of it. */
  write(bytes: Uint8Array): Promise<void>
  /** Nobody else gets a byte in until `use` has resolved; `length` is what it will write at most. */
  turn<T>(length: number, use: (put: Put) => Promise<T>): Promise<T>
  resize(size: Size): void
  /** Reads on the spot what is there. After a process has ended this is all that it ever printed. */
  drain(): void
  close(): void
}

const ignore = (): void => {}

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
  let turns = 0
  let last = Promise.resolve()
  stream.on('error', () => {
    // EIO: nobody has the terminal open any more. The end of the child is told by its exit.
  })
  stream.resume()

  /** On the spot: through Node's threads a key takes longer than all the rest of its way. */
  const take = (bytes: Uint8Array): number => {
    try {
      return writeSync(master, bytes)
    } catch (error) {
      // Full: the program has not read yet. There is no event for it that Node passes on.
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0
      throw error
    }
  }

  const put: Put = async (bytes, over) => {
    let at = 0
    for (let pause = 1; at < bytes.length && !closed && !over?.aborted; ) {
      const taken = take(bytes.subarray(at))
      at += taken
      if (taken === 0) await wait(pause)
      pause = taken === 0 ? Math.min(pause * 2, 100) : 1
    }
    return at === bytes.length
  }

  const turn: Terminal['turn'] = (length, use) => {
    if (waiting + length > inputLimit) return Promise.reject(failure('input_full', {}))
    waiting += length
    turns += 1
    const done = last
      .then(() => use(put))
      .finally(() => {
        waiting -= length
        turns -= 1
      })
    // Its caller hears of a failure; the next one has its turn all the same.
    last = done.then(ignore, ignore)
    return done
  }

  const write = async (bytes: Uint8Array): Promise<void> => {
    if (bytes.length > inputLimit) throw failure('input_full', {})
    const taken = turns === 0 && !closed ? take(bytes) : 0
    if (taken < bytes.length) await turn(bytes.length - taken, (put) => put(bytes.subarray(taken)))
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
    write,
    turn,
    resize: (size) => {
      if (!closed) pty.resize(master, size.columns, size.rows)
    },
    drain,
    close: () => {
      if (closed) return
      closed = true
      stream.destroy()
      closeSync(held)
    },
  }
}
