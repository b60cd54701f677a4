// The answers about reviews.
import { type AnsweringOptions, answering } from '../../review/answer.ts'
import { reviews as api } from '../../review/api.ts'
import type { Reviews } from '../../review/desk.ts'
import type { Store } from '../../store/store.ts'
import { type Route, route } from '../http/route.ts'

/** Sessions at a terminal by their record, those of headless agents by their tasks. */
const agentsOf = async (store: Store): Promise<ReadonlyMap<string, string>> => {
  const tasks = await store.outline('task', ['session', 'agent'])
  const sessions = await store.outline('session', ['agent', 'managed'])
  return new Map(
    [
      ...tasks.map(({ values: [session, agent] }) => [session, agent]),
      ...sessions.map(({ subject, values: [agent] }) => [subject.slice('session:'.length), agent]),
    ].filter((pair): pair is [string, string] => pair.every((each) => typeof each === 'string')),
  )
}

type Options = Pick<AnsweringOptions, 'now' | 'tree'> & { readonly store: Store; readonly reviews: Reviews }

export const reviewRoutes = ({ store, ...options }: Options): readonly Route[] => {
  const { list, show, trace, decide, clean, stats } = answering({ ...options, agents: () => agentsOf(store) })
  return [
    route(api.list, async () => ({ reviews: [...(await list())] })),
    route(api.show, ({ params }) => show(params.session)),
    route(api.trace, async ({ params }) => ({ events: await trace(params.session) })),
    route(api.decide, ({ params, body }) => decide(params.session, body)),
    route(api.clean, ({ body }) => clean(body)),
    route(api.stats, async ({ query: { days = '30' } }) => ({
      days: Number(days),
      stats: await stats(Number(days)),
    })),
  ]
}
