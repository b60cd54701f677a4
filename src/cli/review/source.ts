// Where reviews are kept: by the host for its agents, and in a file of its own where plain Claude Code uses the gate.
import { existsSync } from 'node:fs'
import type { BodyOf } from '../../base/contract/schema.ts'
import { fail } from '../../base/error/fail.ts'
import { type Client, call } from '../../client/call.ts'
import { type Reply, route } from '../../client/route.ts'
import { layout } from '../../config/layout/rules.ts'
import { findRoot } from '../../config/root/find.ts'
import { rootOf } from '../../hook/embedded/ground.ts'
import type { Answering } from '../../review/answer.ts'
import type { reviews } from '../../review/api.ts'
import { lookIn } from '../host/ask.ts'
import type { Call } from '../io.ts'
import { where } from '../root/where.ts'
import { choose } from './find/rules.ts'

export type Cleaned = Reply<typeof reviews.clean>
export type Deciding = BodyOf<typeof reviews.decide>

export type Source = Answering & { readonly where: 'host' | 'file' }

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
  // Where the gate's hooks stand: a cloned repository with a root that nobody has trusted is no way to lose one's own.
  const known = await rootOf(where(line.io))
  const { directory: root } = known ?? (await findRoot(where(line.io)))
  const { client } = await lookIn(root, line)
  const { gateStore, store } = layout(root)
  const file = existsSync(gateStore) ? [await fileSource(root, line)] : []
  const host = client === undefined ? [] : [hostSource(client)]
  return { root, all: [...host, ...file], missing: client === undefined && existsSync(store) }
}

/** Looking starts no host; what only a host knows is then not shown, and that is said. */
export const sourcesOf = async (line: Call): Promise<Sources> => {
  const sources = await gather(line)
  // Where nobody has kept anything there is nothing to start a host for.
  if (sources.all.length === 0 && sources.missing) return fail('host_absent', { root: sources.root })
  if (sources.missing) line.warn('No host is up: the reviews of its agents are not shown.')
  return sources
}

/** Loaded only where there is one: it brings the store along. */
const fileSource = async (root: string, line: Call): Promise<Source> => {
  const { openFile } = await import('./file.ts')
  const { answers, close } = await openFile(root, line.io)
  line.defer(close)
  return { where: 'file', ...answers }
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
