// The answers about messages.
import type { Roster } from '../../agent/roster.ts'
import { fail, failure } from '../../base/error/fail.ts'
import { messages as api } from '../../message/api.ts'
import type { Desk } from '../../message/desk.ts'
import { isSettled } from '../../message/rules.ts'
import type { Message } from '../../message/schema.ts'
import { type Route, route } from '../http/route.ts'

/** The longest text, each character escaped, and the rest. */
const limit = 2 * 1024 * 1024

const done: Readonly<Record<string, (message: Message) => boolean>> = {
  started: (message) => message.life === 'started' || isSettled(message),
  settled: (message) => isSettled(message),
  response: (message) =>
    message.expects?.closedBy !== undefined || message.life === 'failed' || message.life === 'withdrawn',
}

/** A person is no agent, but may be responded to. */
const isKnown = async (desk: Desk, roster: Roster, to: string, closes: string | undefined) =>
  (await roster.knows(to)) || (closes !== undefined && desk.find(closes).from.name === to)

export const messageRoutes = (desk: Desk, roster: () => Roster | undefined): readonly Route[] => [
  route(
    api.send,
    async ({ body }) => {
      const agents = roster()
      if (agents === undefined) throw failure('not_ready', { what: 'The host' })
      const { expects_response: expects, ...draft } = body
      if (!(await isKnown(desk, agents, draft.to, draft.closes)))
        return fail('not_found', { what: `agent "${draft.to}"`, see: 'Type `agency list`.' })
      return desk.send({ ...draft, expects })
    },
    { work: true, limit },
  ),
  route(api.list, ({ query }) => ({
    messages: desk.list(query.to).filter((message) => query.open !== 'true' || !isSettled(message)),
  })),
  route(api.show, ({ params, query }) => {
    const waiting = query.for === undefined ? undefined : done[query.for]
    return waiting === undefined
      ? desk.find(params.id)
      : desk.until(params.id, waiting, Number(query.seconds ?? '30') * 1000)
  }),
  route(api.withdraw, ({ params }) => desk.withdraw(params.id, 'on request')),
]
