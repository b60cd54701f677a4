// What keepers say: hooks that wait for an answer, and telemetry that does not.
import { keeper as api } from '../../agent/api.ts'
import type { Live } from '../../agent/live.ts'
import { fail } from '../../base/error/fail.ts'
import { type Route, route } from '../http/route.ts'

/** Beyond what a keeper takes from the CLI, so that it is never refused for its envelope. */
const limit = 20 * 1024 * 1024
const only = { socket: true, limit } as const

const fields = ['agent', 'session', 'id', 'event', 'input']

/** A hook as keepers send it: for each of them the contract would take longer than the answer. */
export const isHook = (body: object): boolean => {
  const { agent, session, id, event } = body as Readonly<Record<string, unknown>>
  return (
    typeof agent === 'string' &&
    typeof session === 'string' &&
    typeof event === 'string' &&
    typeof id === 'string' &&
    id.length > 0 &&
    id.length <= 100 &&
    Object.keys(body).every((name) => fields.includes(name))
  )
}

/** Answers the hooks of one session. */
export type Voice = Pick<Live, 'hooks' | 'telemetry'>

export const hookRoutes = (voice: (agent: string, session: string) => Voice): readonly Route[] => [
  route(
    api.hook,
    ({ body }) => {
      const { agent, session, id, input, closed } = body
      const { hooks } = voice(agent, session)
      if (hooks === undefined)
        return fail('not_found', { what: `hooks of "${agent}"`, see: 'Type `agency list`.' })
      if (closed === undefined) return hooks.answer(id, input)
      hooks.closed(id)
      return {}
    },
    { ...only, plain: isHook },
  ),
  route(
    api.telemetry,
    async ({ body }) => {
      await voice(body.agent, body.session).telemetry(body.id, body.input)
      return {}
    },
    only,
  ),
]
