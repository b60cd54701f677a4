import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '../../client/call.ts'
import { reach } from '../../client/start.ts'
import { findRoot } from '../../config/root/find.ts'
import type { Outcome } from '../command/schema.ts'
import type { Call, Handler } from '../io.ts'
import { ensureSchemas } from '../root/schemas.ts'
import { where } from '../root/where.ts'
import { liveHost } from '../trace/find.ts'
import { lookFor, statusOf } from './ask.ts'

/** The root to run a host for; made where the environment names one that is not there yet. */
export const rootToRun = async ({ io }: Call): Promise<string> => {
  const { directory } = await findRoot(where(io), true)
  await ensureSchemas(directory)
  return directory
}

/** Longer than it takes to meet the agents of the host before; a component may take its time. */
const patience = 20_000

const settled = async (client: Client): ReturnType<typeof statusOf> => {
  for (const late = performance.now() + patience; ; await pause(20)) {
    const host = await statusOf(client)
    if (host.state !== 'starting' || performance.now() > late) return host
  }
}

export const detached = async (call: Call, root: string): Promise<Outcome> => {
  const { io, progress } = call
  const before = (await lookFor(call)).client !== undefined
  if (!before) progress('starting the host …')
  const client = await reach(root, { start: [...io.self, 'up', '--yield'], say: progress })
  const host = await settled(client)
  const pid = liveHost(root)?.pid
  const how = host.state === 'starting' ? 'is still starting' : before ? 'is already up' : 'is up'
  return { data: { root, pid, started: !before, host }, lines: [`The host of ${root} ${how} (pid ${pid})`] }
}

export const run: Handler = async (call) => detached(call, await rootToRun(call))
