// All reviews of a root. Every signal is one transaction that asks the rules, so that of many hooks at once none is
// lost; what the store cannot keep throws, and then whoever asked refuses.
import { Buffer } from 'node:buffer'
import { createHash, randomBytes } from 'node:crypto'
import { fail } from '../base/error/fail.ts'
import { othersOf } from '../permission/alias/look.ts'
import type { Call, Place } from '../permission/call/schema.ts'
import type { Store } from '../store/store.ts'
import { callOf, canonical, gatedBy, kept } from './gate/rules.ts'
import { changeFact, forgetFact, fresh, openFact } from './record/rules.ts'
import { hear } from './rules.ts'
import type {
  Answers,
  Attempt,
  Decider,
  Gate,
  Input,
  Left,
  Review,
  Said,
  Setting,
  Signal,
  Spoken,
  Stop,
  TraceEvent,
} from './schema.ts'
import { isOff, off } from './setting/rules.ts'
import { loadTemplate } from './template/load.ts'
import { traceFact, kept as traceKept, traceOf } from './trace/rules.ts'
import { secretWords } from './words/rules.ts'

export type SessionReviews = {
  started(source: string): Promise<void>
  prompted(prompt: Spoken): Promise<void>
  /** Whether a gate is about it; nothing is kept. */
  isGated(call: { readonly tool: string; readonly input: unknown }, place: Place): Promise<boolean>
  gate(
    call: { readonly id: string; readonly tool: string; readonly input: unknown },
    where: { readonly place: Place; readonly tree?: string | undefined },
  ): Promise<Gate>
  completed(call: { readonly id: string; readonly tool: string; readonly ok: boolean }): Promise<void>
  /** `background`: a reviewer works there. */
  stop(end: {
    readonly again: boolean
    readonly background: boolean
    readonly tree?: string | undefined
  }): Promise<Stop>
  /** Stored before the reviewer starts; one that is still at work can decide no more. */
  begin(by: 'process'): Promise<Attempt>
  failed(attempt: string, why: string): Promise<Review>
  /** What the reviewer alone is told; undefined where nothing waits for a verdict. */
  spawned(reviewer: { readonly id: string; readonly tree?: string | undefined }): Promise<string | undefined>
  left(reviewer: { readonly id: string }): Promise<Left>
  /** Fails with `review_not_permitted` or `review_not_pending`, and then the try is recorded. */
  decide(said: Said, by: Decider): Promise<Review>
  ended(reason: string): Promise<void>
  state(): Promise<Review | undefined>
}

export type Reviews = {
  of(session: string, setting: () => Promise<Setting>): SessionReviews
  find(session: string): Promise<Review | undefined>
  /** The last changed first. */
  list(): Promise<readonly Review[]>
  trace(session: string): Promise<readonly TraceEvent[]>
  /** With its trace; false where it is not there, or may not go as it is now. */
  forget(session: string, may: (review: Review) => boolean): Promise<boolean>
  /** Called after each change that this process made; returns how to stop. */
  watch(see: (review: Review) => void): () => void
}

export type ReviewsOptions = {
  readonly store: Store
  readonly now: () => number
  /** Where `block-<id>.md` lie; the first that has one wins. */
  readonly templates?: readonly string[]
  /** Takes out what must not be kept. */
  readonly mask?: () => Promise<(text: string) => string>
  /** Where programs are looked for. */
  readonly path?: string
  /** In [0, 1): which template is drawn. */
  readonly chance?: () => number
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const subjectOf = (session: string): string => `review:${session}`

/** What these say of a session that nobody knows is not worth a record. */
const late: readonly Signal['from'][] = [
  'failed',
  'left',
  'decided',
  'slipped',
  'compacted',
  'ended',
  'spawned',
]

/** After so many events of one process it is looked how many there are; after so many prompts where that is many. */
const often = 64
const seldom = 16
const short = 1_000

export const openReviews = (options: ReviewsOptions): Reviews => {
  const { store, now, templates = [], mask, chance = Math.random } = options
  const { path = process.env.PATH ?? '' } = options
  const watchers = new Set<(review: Review) => void>()
  const written = new Map<string, number>()

  const find: Reviews['find'] = async (session) =>
    (await store.load(subjectOf(session)))?.state as Review | undefined

  const tell = async <From extends Signal['from']>(
    session: string,
    signal: Extract<Signal, { from: From }>,
    setting: Setting = off,
  ): Promise<{ readonly review: Review; readonly answer: Answers[From] }> => {
    const { review, answer, changed } = await store.transact(subjectOf(session), (found) => {
      const at = now()
      const before = (found?.state as Review | undefined) ?? fresh(session, at)
      const heard = hear<From>(before, signal, setting, at)
      const changed = heard.review !== before
      const isNew = found === undefined
      const opens = isNew && (changed || signal.from === 'started') && !late.includes(signal.from)
      const fact = isNew ? (opens ? openFact(heard.review) : undefined) : changeFact(before, heard.review)
      const trace = isNew && !opens ? [] : heard.trace.map((each) => traceFact(session, each))
      const facts = fact === undefined ? trace : [fact, ...trace]
      return { facts, value: { ...heard, changed: fact !== undefined } }
    })
    if (changed) for (const see of [...watchers]) see(review)
    return { review, answer }
  }

  /** To look costs the more, the longer a trace may be: a long one is looked at more seldom. */
  const shorten = async (session: string, { trace }: Setting, sure = false): Promise<void> => {
    const count = (written.get(session) ?? 0) + 1
    const due = sure || count >= often
    written.set(session, due ? 0 : count)
    if (!due) return
    try {
      const removed = await store.trim(subjectOf(session), trace.max_events, traceKept(trace.max_events))
      if (removed > 0) await tell(session, { from: 'compacted', removed })
    } catch {
      // What was asked is decided and stored; a trace that stays long decides nothing, and is looked at again.
    }
  }

  const inputOf = async (tool: string, input: unknown): Promise<Input> => {
    const json = canonical(input)
    const hide = await mask?.()
    const shown = hide === undefined ? json : hide(json)
    return kept(shown, sha256(`${tool}\n${json}`), Buffer.byteLength(json))
  }

  /** Whoever was given this secret has named the wrong session. */
  const blame = async (session: string, secret: string): Promise<void> => {
    for (const review of await list()) {
      const theirs = review.attempts.some((each) => each.secret === secret)
      if (theirs && review.session !== session) await tell(review.session, { from: 'slipped', secret })
    }
  }

  const list: Reviews['list'] = async () =>
    (await store.list('review')).kept
      .map(({ state }) => state as Review)
      .sort((one, other) => other.changed - one.changed || (one.session < other.session ? -1 : 1))

  /** By all its names: whoever asks less lets a link through. */
  const gateOf = async ({ gates }: Setting, call: Call, place: Place) =>
    gates.tools.length === 0 ? undefined : gatedBy(gates, call, place, await othersOf(call, place, path))

  const of: Reviews['of'] = (session, settingOf) => ({
    isGated: async ({ tool, input }, place) =>
      (await gateOf(await settingOf(), callOf(tool, input), place)) !== undefined,
    started: async (source) => {
      const setting = await settingOf()
      if (isOff(setting)) return
      await tell(session, { from: 'started', source }, setting)
      await shorten(session, setting, true)
    },
    prompted: async (prompt) => {
      const setting = await settingOf()
      if (isOff(setting)) return
      const { review } = await tell(session, { from: 'prompted', ...prompt }, setting)
      await shorten(session, setting, setting.trace.max_events <= short || review.turn % seldom === 0)
    },
    gate: async ({ id, tool, input }, { place, tree }) => {
      const setting = await settingOf()
      const gated = await gateOf(setting, callOf(tool, input), place)
      if (gated === undefined) return { kind: 'pass' }
      const { answer } = await tell(
        session,
        {
          from: 'gated',
          call: id,
          tool,
          input: await inputOf(tool, input),
          pattern: gated.pattern,
          tree,
          attempt: name(),
        },
        setting,
      )
      await shorten(session, setting)
      return answer
    },
    completed: async (call) => {
      const setting = await settingOf()
      if (isOff(setting)) return
      await store.append([traceFact(session, { type: 'review.tool_completed', data: { ...call } })])
      await shorten(session, setting)
    },
    stop: async (end) => {
      const setting = await settingOf()
      if (isOff(setting)) return { kind: 'pass' }
      const template = await loadTemplate(setting.templates, templates, chance())
      const signal = { from: 'stopped', ...end, tree: end.tree, template, attempt: name() } as const
      const { answer } = await tell(session, signal, setting)
      await shorten(session, setting)
      return answer
    },
    begin: async () => (await tell(session, { from: 'begun', attempt: name() })).answer,
    failed: async (attempt, why) => (await tell(session, { from: 'failed', attempt, why })).review,
    spawned: async ({ id, tree }) => {
      const setting = await settingOf()
      const secret = randomBytes(32).toString('hex')
      const signal = { from: 'spawned', reviewer: id, secret: sha256(secret), attempt: name(), tree } as const
      const { answer } = await tell(session, signal, setting)
      return answer ? secretWords(session, secret) : undefined
    },
    left: async ({ id }) => (await tell(session, { from: 'left', reviewer: id })).answer,
    decide: async (said, by) => {
      const decider = by.kind === 'subagent' ? { ...by, secret: sha256(by.secret) } : by
      const { review, answer } = await tell(session, { from: 'decided', said, by: decider })
      if (answer === undefined) return review
      if (decider.kind === 'subagent') await blame(session, decider.secret)
      if (answer === 'not_pending') return fail('review_not_pending', { session, state: review.state })
      return fail('review_not_permitted', { session, why: refusalOf(by) })
    },
    ended: async (reason) => {
      await tell(session, { from: 'ended', reason })
      written.delete(session)
    },
    state: () => find(session),
  })

  return {
    of,
    find,
    list,
    trace: async (session) => {
      const events: TraceEvent[] = []
      for (let after = 0; ; ) {
        const page = await store.events({ after, limit: 1000, subject: subjectOf(session) })
        events.push(...page.flatMap((event) => traceOf(event) ?? []))
        const last = page.at(-1)
        if (last === undefined || page.length < 1000) return events
        after = last.seq
      }
    },
    forget: async (session, may) => {
      const gone = await store.transact(subjectOf(session), (found) => {
        const review = found?.state as Review | undefined
        const goes = review !== undefined && may(review)
        return { facts: goes ? [forgetFact(session)] : [], value: goes }
      })
      if (gone) await store.trim(subjectOf(session), 0, 0)
      return gone
    },
    watch: (see) => {
      watchers.add(see)
      return () => watchers.delete(see)
    },
  }
}

const name = (): string => `r${randomBytes(6).toString('hex')}`

const refusals = {
  process: 'its reviewer is not the one at work',
  subagent: 'its secret is not that of the reviewer at work, or it was used before',
  person: 'nobody who decides was named',
} as const

const refusalOf = (by: Decider): string =>
  by.kind === 'subagent' && by.secret === '' ? 'an agent has no secret to decide with' : refusals[by.kind]
