import type { Handler } from '../io.ts'
import { table } from '../output/rules.ts'
import { pausedLine } from '../task/told/rules.ts'
import { componentsOf, lookFor, statusOf } from './ask.ts'
import { componentRows } from './rules.ts'

export const run: Handler = async (call) => {
  const { root, client } = await lookFor(call)
  if (client === undefined) {
    const lines = [`No host runs for ${root}. Type \`agency up\`, or \`agency start\` for the background.`]
    return { data: { up: false, root }, lines }
  }
  const [host, components] = await Promise.all([statusOf(client), componentsOf(client)])
  // Without `pid` only the open form was answered, which by a socket it never is.
  const known =
    'pid' in host
      ? [
          `pid ${host.pid}, port ${host.port}, up ${host.uptime_seconds} s`,
          host.message ?? '',
          host.paused_since === undefined ? '' : pausedLine(host.paused_since),
        ]
      : []
  return {
    data: { up: true, root, host, components },
    lines: [
      `The host of ${root} is ${host.state} (version ${host.version})`,
      ...known.filter((line) => line !== '').map((line) => `  ${line}`),
      ...table(componentRows(components)).map((row) => `  ${row}`),
    ],
  }
}
