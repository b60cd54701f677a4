// Answers what people ask about reviews: for the routes of a host, and for the command line on the gate's own file.
import type { BodyOf, ReplyOf } from '../base/contract/schema.ts'
import { fail } from '../base/error/fail.ts'
import type { reviews as api, ReviewLine } from './api.ts'
import { keptFor } from './clean/rules.ts'
import type { Reviews } from './desk.ts'
import { byAge, lineOf } from './line/rules.ts'
import type { Decider, Review } from './schema.ts'
import { off } from './setting/rules.ts'
import { statsOf } from './stats/rules.ts'

export type Answering = {
  list(): Promise<readonly ReviewLine[]>
  show(session: string): Promise<ReplyOf<typeof api.show>>
  trace(session: string): Promise<ReplyOf<typeof api.trace>['events']>
  decide(session: string, body: BodyOf<typeof api.decide>): Promise<ReplyOf<typeof api.show>>
  clean(body: BodyOf<typeof api.clean>): Promise<ReplyOf<typeof api.clean>>
  /** Of the last so many days. */
  stats(days: number): Promise<ReplyOf<typeof api.stats>['stats']>
}

export type AnsweringOptions = {
  readonly reviews: Reviews
  readonly now: () => number
  /** Whose session it is, by session, where that is known. */
  readonly agents: () => Promise<ReadonlyMap<string, string>>
  /** The tree of a session as its hooks saw it last: what is said now is about that. */
  readonly tree?: (session: string) => Promise<string | undefined>
}

const day = 86_400_000

const deciderOf = ({ secret, by = 'api' }: BodyOf<typeof api.decide>): Decider =>
  secret === undefined ? { kind: 'person', name: by } : { kind: 'subagent', secret }

export const answering = ({ reviews, now, agents, tree }: AnsweringOptions): Answering => {
  const known = async (session: string): Promise<Review> =>
    (await reviews.find(session)) ?? fail('review_unknown', { session })
  const shown = async (review: Review): Promise<ReplyOf<typeof api.show>> => {
    const agent = (await agents()).get(review.session)
    return { review, ...(agent !== undefined && { agent }) }
  }
  const list: Answering['list'] = async () => {
    const whose = await agents()
    const all = await reviews.list()
    return all.map((review) => lineOf(review, whose.get(review.session))).sort(byAge)
  }
  return {
    list,
    show: async (session) => shown(await known(session)),
    trace: async (session) => {
      await known(session)
      return [...(await reviews.trace(session))]
    },
    decide: async (session, body) => {
      const { verdict, summary, message, opinions } = body
      const by = deciderOf(body)
      const found = await reviews.find(session)
      // A reviewer inside the session has looked at what was there when it came; the gate knows that.
      const person = by.kind === 'person' && found !== undefined
      const looked = person ? await tree?.(session) : undefined
      const said = { verdict, summary, message, opinions, tree: looked }
      const decided = reviews.of(session, async () => off).decide(said, by)
      // Asked all the same: the reviewer that has named a wrong session is noted where it belongs.
      if (found === undefined) await decided.catch(() => {})
      return found === undefined ? fail('review_unknown', { session }) : shown(await decided)
    },
    clean: async ({ older_seconds, dry_run = false }) => {
      const sweep = { now: now(), older: older_seconds * 1000 }
      const cleaned: ReplyOf<typeof api.clean> = { removed: [], kept: [] }
      const whose = await agents()
      for (const review of await reviews.list()) {
        const line = lineOf(review, whose.get(review.session))
        const why = keptFor(review, sweep)
        if (why !== undefined) cleaned.kept.push({ ...line, why })
        else if (
          dry_run ||
          (await reviews.forget(review.session, (one) => keptFor(one, sweep) === undefined))
        )
          cleaned.removed.push(line)
      }
      return cleaned
    },
    stats: async (days) => {
      const since = now() - days * day
      const attempts = (await reviews.list()).flatMap((review) => review.attempts)
      return [...statsOf(attempts.filter(({ at }) => at >= since))]
    },
  }
}
