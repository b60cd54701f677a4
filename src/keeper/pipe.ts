// Pipes that are read into one buffer for their whole life. Those that Node makes for a child allocate anew for
// each piece: a flood would leave the keeper at twice the memory it may have.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, constants, openSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'

export type Pipe = {
  /** For the child; closed here when it has it. */
  readonly writer: number
  /** Resolves when the last writer has closed its end and all has been read. */
  readonly spent: Promise<void>
  closeWriter(): void
}

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

const openPipe = (path: string, output: (bytes: Buffer) => void): Pipe => {
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  // Before the first read, which without any writer would see the end.
  const writer = openSync(path, constants.O_WRONLY)
  rmSync(path)
  return { writer, spent: read(reader, output), closeWriter: () => closeSync(writer) }
}

type Outputs = readonly ((bytes: Buffer) => void)[]

/** Node can make no plain pipe, but it can open one that has a name for a moment. */
export const openPipes = async (directory: string, outputs: Outputs): Promise<readonly Pipe[]> => {
  const stem = join(directory, `.pipe-${randomBytes(6).toString('hex')}`)
  const paths = outputs.map((_, index) => `${stem}-${index}`)
  await run('mkfifo', ['-m', '600', ...paths])
  return outputs.map((output, index) => openPipe(paths[index] as string, output))
}
