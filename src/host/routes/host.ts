// The answers of the host itself.
import { fail } from '../../base/error/fail.ts'
import { openStatusOf } from '../../registry/rules.ts'
import { stateOf } from '../../state/rules.ts'
import type { Store } from '../../store/store.ts'
import { host as api, type ComponentEntry } from '../api.ts'
import { type Crew, refuseIfBusy } from '../crew.ts'
import type { Endings } from '../ending.ts'
import { type Route, route } from '../http/route.ts'
import type { Member } from '../member.ts'
import type { HostStatus } from '../schema.ts'
import type { Watch } from '../watch.ts'

export type HostRoutes = Pick<Endings, 'endAll' | 'endMembers'> & {
  readonly store: Store
  readonly watch: Watch
  readonly crew: () => Crew | undefined
  readonly status: () => HostStatus
}

/** A browser that connects again sends the id it saw last; it knows better than the address it was given. */
const place = (lastEventId: string | string[] | undefined, after: string | undefined): number => {
  const last = Number(lastEventId)
  return Number.isSafeInteger(last) && last > 0 ? last : Number(after ?? 0)
}

const entryOf = (member: Member): ComponentEntry => {
  const { id, name, kind } = member
  const [message, port, pod] = [member.message(), member.port(), member.pod()]
  return {
    id,
    type: kind.type,
    name,
    interfaces: [...kind.interfaces],
    state: member.state(),
    ...(message !== undefined && { message }),
    ...(port !== undefined && { port }),
    ...(pod !== undefined && { pod }),
    current_task: member.currentTask() ?? null,
  }
}

type Which = { agents?: boolean | undefined; directors?: boolean | undefined; port?: number | undefined }

const isChosen = (member: Member, { agents, directors, port }: Which): boolean =>
  (agents === true && member.kind.place === 'agents') ||
  (directors === true && member.kind.place === 'directors') ||
  (port !== undefined && member.port() === port)

export const hostRoutes = ({ store, watch, crew, status, ...end }: HostRoutes): readonly Route[] => [
  route(api.status, ({ known }) => (known ? status() : openStatusOf(status())), { open: true }),
  route(api.state, async () => {
    const { seq, kept } = await store.list()
    return { seq, state: stateOf(kept) }
  }),
  route(api.events, ({ query, headers }) => watch.from(place(headers['last-event-id'], query.after))),
  route(api.components, () => ({ components: (crew()?.members() ?? []).map(entryOf) })),
  route(
    api.bring,
    ({ body }) => {
      const what = 'The host'
      if (status().state === 'draining') fail('draining', { what })
      const all = crew() ?? fail('not_ready', { what })
      return entryOf(all.bring(body))
    },
    { socket: true },
  ),
  route(api.shutdown, ({ body }) => {
    const members = crew()?.members() ?? []
    const some = !body.all && (body.agents || body.directors || body.port !== undefined)
    // The host alone may go while agents work: their keepers hold them.
    const ending = body.all ? members : members.filter((member) => isChosen(member, body))
    refuseIfBusy(ending, body)
    const drain_timeout = some ? end.endMembers(ending, body) : end.endAll(body)
    return { message: 'Shutdown initiated', drain_timeout, components: ending.map(({ id }) => id) }
  }),
]
