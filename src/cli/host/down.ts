import type { Handler } from '../io.ts'
import { lookFor } from './ask.ts'
import { endHost } from './end.ts'

export const run: Handler = async (call) => {
  const { root, client } = await lookFor(call)
  if (client === undefined) return { data: { root, ended: false }, lines: [`No host runs for ${root}.`] }
  const { pid } = await endHost(call, root, client, false)
  return {
    data: { root, ended: true, pid },
    lines: [`The host of ${root} has ended; sessions of agents go on.`],
  }
}
