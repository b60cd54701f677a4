// The ways out of the walls around a child, which the keeper holds open as long as the child lives.
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import type { Relay } from '../sandbox/relay/open.ts'
import type { KeptWalls } from '../sandbox/relay/schema.ts'

export type Doors = {
  /** Resolves when they are open; undefined = a child without walls. */
  open(walls: KeptWalls | undefined): Promise<void>
  /** Resolves when somebody has come through them; at once where there are none. */
  passed(): Promise<void>
  /** Also takes away what was made in a tree for the walls. */
  close(): Promise<void>
}

const listen = async (socket: string, admit: (connection: Socket) => void): Promise<Server> => {
  const server = createServer(admit)
  server.listen(socket)
  await once(server, 'listening')
  return server
}

export const openDoors = (directory: string, admit: (connection: Socket) => void): Doors => {
  let walls: KeptWalls | undefined
  let hooks: Server | undefined
  let relay: Relay | undefined
  let passed: Promise<void> = Promise.resolve()

  const clear = async ({ doors }: KeptWalls): Promise<void> => {
    // Of a keeper that was killed: nobody listens there any more.
    for (const socket of doors === undefined ? [] : [doors.hooks, doors.relay.socket])
      await rm(socket, { force: true })
  }

  return {
    open: async (next) => {
      walls = next
      passed = Promise.resolve()
      if (walls?.doors === undefined) return
      await clear(walls)
      let pass = (): void => {}
      passed = new Promise((resolve) => {
        pass = resolve
      })
      hooks = await listen(walls.doors.hooks, (connection) => {
        pass()
        admit(connection)
      })
      // Loaded only here: most keepers have no walls, and there is one for every agent.
      const { openRelay } = await import('../sandbox/relay/open.ts')
      relay = await openRelay(walls.doors.relay)
    },
    passed: () => passed,
    close: async () => {
      hooks?.close()
      relay?.close()
      hooks = undefined
      relay = undefined
      if (walls === undefined) return
      const before = walls
      walls = undefined
      await clear(before)
      const { thaw } = await import('../sandbox/frozen.ts')
      await thaw(directory)
    },
  }
}
