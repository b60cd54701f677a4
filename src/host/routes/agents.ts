// The answers about launched agents.
import { agents as api, agent as own } from '../../agent/api.ts'
import type { Live } from '../../agent/live.ts'
import type { Roster } from '../../agent/roster.ts'
import { fail, failure } from '../../base/error/fail.ts'
import { isOver } from '../../session/rules.ts'
import { type Route, route } from '../http/route.ts'

/** An environment comes along, which may be large. */
const limit = 8 * 1024 * 1024
/** As much as a hook may bring. */
const request = 20 * 1024 * 1024
const grace = 10
const see = 'Type `agency list`.'

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
  route(
    own.permission,
    async ({ body }) => {
      const { tool_name: tool, tool_input: input, session_id: by, cwd, seconds } = body
      if (isOver(live.session())) fail('not_found', { what: `a session of "${live.name}"`, see })
      const answer = await live.requests?.({ tool, input, by, cwd }, seconds * 1000)
      return answer === undefined ? {} : { answer }
    },
    { limit: request },
  ),
  route(own.collect, ({ body }) => {
    const { event, tool, session_id: session } = body
    live.collect?.({ event, ...(tool !== undefined && { tool }), ...(session !== undefined && { session }) })
    return {}
  }),
  route(own.attach, () => ({ keeper: live.keeper().found })),
]
