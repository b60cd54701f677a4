// The answers about launched agents.
import { agents as api, agent as own } from '../../agent/api.ts'
import type { Live } from '../../agent/live.ts'
import type { Roster } from '../../agent/roster.ts'
import { fail, failure } from '../../base/error/fail.ts'
import { type Route, route } from '../http/route.ts'

/** An environment comes along, which may be large. */
const limit = 8 * 1024 * 1024
const grace = 10

/** Refused until the agents of the host before are known: their names are taken. */
const ready = (roster: Roster | undefined): Roster => {
  if (roster === undefined) throw failure('not_ready', { what: 'The host' })
  return roster
}

export const agentsRoutes = (roster: () => Roster | undefined): readonly Route[] => [
  route(api.list, async () => ({ agents: (await ready(roster()).list()).map((live) => live.entry()) })),
  route(api.launch, ({ body }) => ready(roster()).launch(body), { work: true, limit }),
  route(api.resume, ({ body }) => ready(roster()).resume(body), { work: true, limit }),
  route(api.forget, async () => ({ forgotten: await ready(roster()).forget() })),
  route(api.fork, ({ body }) => ready(roster()).fork(body), { work: true, limit }),
]

/** `current`: the one whose process there is, or will be. */
export const agentRoutes = (live: Live, current: () => Promise<Live>): readonly Route[] => [
  route(own.stop, async ({ body }) => {
    const now = await current()
    const exit = await now.end((body.grace_seconds ?? grace) * 1000)
    const left = exit?.left ?? []
    if (left.length > 0) {
      const who = left.map(({ pid, command }) => `${pid} (${command})`).join(', ')
      fail('agent_left', { agent: live.name, who })
    }
    return { agent: now.entry(), exit }
  }),
  route(own.attach, () => ({ keeper: live.keeper().found })),
]
