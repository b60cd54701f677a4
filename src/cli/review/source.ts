// Where reviews are kept: by the host for its agents, and in a file of its own where plain Claude Code uses the gate.
import { existsSync } from 'node:fs'
import type { BodyOf } from '../../base/contract/schema.ts'
import { fail } from '../../base/error/fail.ts'
import { type Client, call } from '../../client/call.ts'
import { type Reply, route } from '../../client/route.ts'
import { layout } from '../../config/layout/rules.ts'
import type { ReviewLine, ReviewStat, reviews } from '../../review/api.ts'
import { lookFor } from '../host/ask.ts'
import type { Call } from '../io.ts'
import { choose } from './find/rules.ts'

export type Shown = Reply<typeof reviews.show>
export type Cleaned = Reply<typeof reviews.clean>
export type Deciding = BodyOf<typeof reviews.decide>

export type Source = {
  readonly where: 'host' | 'file'
  list(): Promise<readonly ReviewLine[]>
  show(session: string): Promise<Shown>
  trace(session: string): Promise<Reply<typeof reviews.trace>['events']>
  decide(session: string, body: Deciding): Promise<Shown>
  clean(body: BodyOf<typeof reviews.clean>): Promise<Cleaned>
  stats(days: number): Promise<readonly ReviewStat[]>
}

const list = route<typeof reviews.list>('GET', '/reviews')
const show = route<typeof reviews.show>('GET', '/reviews/:session')
const trace = route<typeof reviews.trace>('GET', '/reviews/:session/trace')
const decide = route<typeof reviews.decide>('POST', '/reviews/:session/verdict')
const clean = route<typeof reviews.clean>('POST', '/reviews/clean')
const stats = route<typeof reviews.stats>('GET', '/reviews/stats')

export const hostSource = (client: Client): Source => ({
  where: 'host',
  list: async () => (await call(client, list, {})).reviews,
  show: (session) => call(client, show, { params: { session } }),
  trace: async (session) => (await call(client, trace, { params: { session } })).events,
  decide: (session, body) => call(client, decide, { params: { session }, body }),
  clean: (body) => call(client, clean, { body }),
  stats: async (days) => (await call(client, stats, { query: { days: String(days) } })).stats,
})

export type Sources = {
  readonly root: string
  readonly all: readonly Source[]
  /** Whose reviews cannot be seen, because no host is up. */
  readonly missing: boolean
}

export const gather = async (line: Call): Promise<Sources> => {
  const { root, client } = await lookFor(line)
  const { gateStore, store } = layout(root)
  const file = existsSync(gateStore) ? [await fileSource(root, line)] : []
  const host = client === undefined ? [] : [hostSource(client)]
  return { root, all: [...host, ...file], missing: client === undefined && existsSync(store) }
}

/** Looking starts no host; what only a host knows is then not shown, and that is said. */
export const sourcesOf = async (line: Call): Promise<Sources> => {
  const sources = await gather(line)
  if (sources.all.length === 0) return fail('host_absent', { root: sources.root })
  if (sources.missing) line.warn('No host is up: the reviews of its agents are not shown.')
  return sources
}

/** Loaded only where there is one: it brings the store along. */
const fileSource = async (root: string, line: Call): Promise<Source> => {
  const { openFile } = await import('./file.ts')
  const { source, close } = await openFile(root, line.io)
  line.defer(close)
  return source
}

export type Found = { readonly source: Source; readonly session: string; readonly agent?: string | undefined }

/** The session that was typed, wherever it is kept. */
export const findReview = async ({ all }: Pick<Sources, 'all'>, which: string): Promise<Found> => {
  const lists = await Promise.all(
    all.map(async (source) => (await source.list()).map((line) => ({ ...line, at: line.changed, source }))),
  )
  const chosen = choose(lists.flat(), which)
  if (chosen === undefined) return fail('review_unknown', { session: which })
  if ('one' in chosen) return chosen.one
  const ids = chosen.many.map(({ session }) => session)
  return fail('review_unclear', { session: which, count: ids.length, ids: ids.slice(0, 5).join(', ') })
}
