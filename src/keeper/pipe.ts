// Pipes that are read into one buffer for their whole life. Those that Node makes for a child allocate anew for
// each piece: a flood would leave the keeper at twice the memory it may have.
import { execFile } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'

export type Pipe = {
  /** For the child; closed here when it has it. */
  readonly writer: number
  /** Once. Resolves when the last writer has closed its end and all has been read. */
  read(output: (bytes: Buffer) => void): Promise<void>
  closeWriter(): void
  /** Of one that is not needed: both ends. */
  drop(): void
}

/** Of one headless child. */
export type Pipes = { readonly stdout: Pipe; readonly stderr: Pipe }

const run = promisify(execFile)
const buffered = 64 * 1024

const read = (fd: number, output: (bytes: Buffer) => void): Promise<void> => {
  const buffer = Buffer.allocUnsafe(buffered)
  const onread = {
    buffer,
    callback: (length: number) => {
      output(buffer.subarray(0, length))
      return true
    },
  }
  const options = { fd, readable: true, writable: false, onread }
  const socket = new Socket(options as ConstructorParameters<typeof Socket>[0])
  return new Promise((resolve) => {
    socket.once('error', () => {
      // 'close' follows: what could be read has been.
    })
    socket.once('close', () => resolve())
    socket.resume()
  })
}

const openPipe = (path: string): Pipe => {
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  // Before the first read, which without any writer would see the end.
  const writer = openSync(path, constants.O_WRONLY)
  const closeWriter = (): void => closeSync(writer)
  return {
    writer,
    read: (output) => read(reader, output),
    closeWriter,
    drop: () => {
      closeSync(reader)
      closeWriter()
    },
  }
}

/** Node can make no plain pipe, but it can open one that has a name for a moment. */
const make = async (directory: string): Promise<Pipes> => {
  const place = await mkdtemp(join(directory, '.pipes-'))
  try {
    const at = { stdout: join(place, 'stdout'), stderr: join(place, 'stderr') }
    await run('mkfifo', ['-m', '600', at.stdout, at.stderr])
    return { stdout: openPipe(at.stdout), stderr: openPipe(at.stderr) }
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

/** For the headless children of a keeper, one after another. */
export const pipesIn = (directory: string) => {
  let ready: Promise<Pipes> | undefined
  const taken = (): typeof ready => {
    const pipes = ready
    ready = undefined
    return pipes
  }
  return {
    /** Before they are needed. Why that failed is heard by whoever takes them. */
    make: (): void => {
      ready ??= make(directory)
      ready.catch(() => {})
    },
    take: (): Promise<Pipes> => taken() ?? make(directory),
    /** Those that nobody took. */
    close: async (): Promise<void> => {
      const pipes = await taken()?.catch(() => undefined)
      pipes?.stdout.drop()
      pipes?.stderr.drop()
    },
  }
}
