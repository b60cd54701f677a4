// The host's own two doors, and the file that tells where they are.
import { chmodSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { failure } from '../base/error/fail.ts'
import { writeAtomic } from '../base/file/write.ts'
import type { Undo } from '../base/undo.ts'
import { version } from '../base/version.ts'
import { hostSocket, readHostFile } from '../client/address.ts'
import type { Doors } from './doors.ts'
import type { Ground } from './ground.ts'
import type { App } from './http/find.ts'
import type { HostFile } from './schema.ts'

export type Address = { readonly socket: string; readonly port: number }

/** Open exchanges get this long to end once the components are gone. */
const farewell = 1_000

/** Never `recursive`: a root that was just removed must stay removed. */
const openDirectory = (directory: string): void => {
  if (!existsSync(directory)) mkdirSync(directory, { mode: 0o700 })
  // It may have been made by something with another idea of a mode.
  chmodSync(directory, 0o700)
}

const announce = async ({ layout, self }: Ground, address: Address, undo: Undo): Promise<void> => {
  const file: HostFile = { ...self, ...address, version }
  await writeAtomic(layout.host, `${JSON.stringify(file, null, 2)}\n`)
  undo.add('remove host.json', () => {
    // A root that was replaced may hold the file of another host by now.
    const written = readHostFile(layout.root)
    if (written?.pid === self.pid && written.started === self.started) rmSync(layout.host, { force: true })
  })
}

/** The socket comes last: who gets an answer there can rely on the file. */
export const openHostDoors = async (
  ground: Ground,
  doors: Doors,
  locate: App['locate'],
  hurry: AbortSignal,
  undo: Undo,
): Promise<Address> => {
  const { layout, config } = ground
  const cut = (): AbortSignal => AbortSignal.any([hurry, AbortSignal.timeout(farewell)])
  const tcp = await doors.port(config.port, locate).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    throw failure('port_in_use', { port: config.port, what: 'the host', holder: 'another program' })
  })
  undo.add('close the port', () => tcp.close(cut()))
  openDirectory(layout.sockets)
  const { path, release } = await hostSocket(layout.root)
  undo.add('release the path of the socket', release)
  const address = { socket: path, port: tcp.port }
  await announce(ground, address, undo)
  const unix = await doors.socket(path, locate)
  undo.add('close the socket', () => unix.close(cut()))
  return address
}
