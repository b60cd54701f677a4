// What keepers say: hooks that wait for an answer, and telemetry that does not.
import { keeper as api } from '../../agent/api.ts'
import type { Roster } from '../../agent/roster.ts'
import { fail, failure } from '../../base/error/fail.ts'
import { type Route, route } from '../http/route.ts'

/** Beyond what a keeper takes from the CLI, so that it is never refused for its envelope. */
const limit = 20 * 1024 * 1024
const only = { socket: true, limit } as const

/** 503 makes a keeper ask again; anything else it would take for a refusal. */
const ready = (roster: Roster | undefined): Roster => {
  if (roster === undefined) throw failure('not_ready', { what: 'The host' })
  return roster
}

export const hookRoutes = (roster: () => Roster | undefined): readonly Route[] => [
  route(
    api.hook,
    ({ body }) => {
      const { agent, session, id, input, closed } = body
      const { hooks } = ready(roster()).of(agent, session)
      if (hooks === undefined)
        return fail('not_found', { what: `hooks of "${agent}"`, see: 'Type `agency list`.' })
      if (closed === undefined) return hooks.answer(id, input)
      hooks.closed(id)
      return {}
    },
    only,
  ),
  route(
    api.telemetry,
    async ({ body }) => {
      await ready(roster()).of(body.agent, body.session).telemetry(body.id, body.input)
      return {}
    },
    only,
  ),
]
