import { runHost } from '../../host/main.ts'
import type { Outcome } from '../command/schema.ts'
import type { Call, Handler } from '../io.ts'
import { detached, rootToRun } from './start.ts'

const foreground = async ({ io, say, flags }: Call, root: string): Promise<Outcome> => {
  // Stays empty where it yielded to another host.
  let told: Record<string, unknown> = {}
  const code = await runHost(root, {
    signals: io.signals,
    yielding: flags.has('yield'),
    ready: ({ port, socket }) => {
      told = { root, pid: process.pid, port, socket }
      say(
        `The host of ${root} is up (pid ${process.pid}, port ${port}). Ctrl-C ends it; sessions of agents go on.`,
      )
    },
  })
  const lines = Object.keys(told).length === 0 ? [] : ['The host has ended.']
  return { data: { ...told, ended: true }, lines, exit: code === 0 ? 0 : 1 }
}

export const run: Handler = async (call) => {
  const root = await rootToRun(call)
  return call.flags.has('detach') ? detached(call, root) : foreground(call, root)
}
