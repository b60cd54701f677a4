// Where the host of a root is found. The socket always; host.json is a hint for what people are told.
import { readFileSync, statSync } from 'node:fs'
import { layout } from '../config/layout/rules.ts'
import { type Socket, socketPath } from '../config/socket.ts'
import type { HostFile } from '../host/schema.ts'

export const hostSocket = (root: string): Promise<Socket> => socketPath(`${layout(root).sockets}/host.sock`)

/** What the last host wrote of itself; undefined if there is none, or it cannot be read. */
export const readHostFile = (root: string): HostFile | undefined => {
  const file = layout(root).host
  try {
    // To read a FIFO would be to wait for somebody to write.
    if (!statSync(file).isFile()) return undefined
    const value = JSON.parse(readFileSync(file, 'utf8')) as Partial<HostFile> | null
    const { pid, started, socket, port, version } = value ?? {}
    if (typeof pid !== 'number' || typeof port !== 'number') return undefined
    if (typeof started !== 'string' || typeof socket !== 'string' || typeof version !== 'string')
      return undefined
    return { pid, started, socket, port, version }
  } catch {
    // Missing, or half of it: a hint that is not there is no hint.
    return undefined
  }
}
