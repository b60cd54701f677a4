// The review gate of a managed session: a gated call and the end of a turn wait for the verdict of a reviewer. A hook is
// the agent's own voice, so nothing that a hook tells can open anything: only a verdict does. Fails closed: what cannot be
// stored is not answered, and the keeper then refuses.
import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '../base/log/open.ts'
import { oneLine } from '../base/text/rules.ts'
import type { Answer, HookEvent } from '../driver/schema.ts'
import type { SessionReviews } from '../review/desk.ts'
import type { Gate, Setting, Spoken, Stop } from '../review/schema.ts'
import { isOff } from '../review/setting/rules.ts'
import type { Session, Signal } from '../session/schema.ts'
import type { Standing } from '../task/rules.ts'
import type { Escalation } from './escalate.ts'
import type { Inspected } from './inspector/inspector.ts'

type Of<K extends HookEvent['kind']> = Extract<HookEvent, { kind: K }>
type Place = Parameters<SessionReviews['gate']>[1]['place']

export type WorkReview = {
  /** Goes on where a host before was. */
  start(): void
  /** To be asked when nobody else has refused the call. */
  called(event: Of<'tool_asked'>): Promise<Answer>
  /** `held` is called once, where the end of the turn has to wait for a reviewer. */
  ended(event: Of<'turn_ended'>, held: () => void): Promise<Answer>
  /** What the session is about to hear from others than its hooks. */
  hear(signal: Signal, session: Session): void
  /** Everything else that was heard of its hooks. Resolves when a host that comes later will know it. */
  heard(event: HookEvent): Promise<Answer>
  /** Whether anything is ever reviewed. */
  isOn(): Promise<boolean>
  /** Of work whose process ended well. */
  outcome(): Promise<Outcome>
  /** Whether what it has done counts. */
  standing(): Standing
  /** The approval by which a person is asked to accept the work. */
  asked(): string | undefined
  /** Resolves when that is answered. */
  answered(approval: string): Promise<Standing>
  /** The setting was replaced. */
  renew(): void
  /** The session is over. */
  over(why: string): void
  /** The host goes: whoever comes next reviews again. */
  close(): void
}

/** `approval`: a person is asked. */
export type Outcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'back'; readonly feedback: string }
  | { readonly kind: 'escalated'; readonly approval: string }

export type Inspecting = {
  readonly attempt: string
  readonly setting: Setting
  /** The tree, as one hash. */
  readonly now: string
}

export type WorkReviewOptions = {
  readonly reviews: SessionReviews
  /** As the session was launched; remembered until `renew`. */
  readonly setting: () => Promise<Setting>
  readonly inspect: (work: Inspecting, gone: AbortSignal) => Promise<Inspected>
  readonly snapshot: () => Promise<string>
  readonly place: (cwd: string) => Promise<Place>
  /** What a prompt says without our header, and whether a person said it. */
  readonly spoken: (event: Of<'prompted'>) => Spoken
  readonly escalation: Escalation
  /** Its first hook was heard by a host before. */
  readonly begun: boolean
  /** A reviewer begins, or is done. */
  readonly reviewing?: ((begins: boolean) => void) | undefined
  readonly log: Pick<Log, 'warn'>
  /** How long a gated call is held. */
  readonly holdMs?: number | undefined
}

const none: Answer = { kind: 'none' }
const deny = (reason: string): Answer => ({ kind: 'deny', reason: `Refused by agency: ${reason}` })

const defaults = { holdMs: 20_000 }
/** Work that changes while it is reviewed is reviewed again, but not for ever while its turn is held. */
const mostRounds = 2

/**
 * A hook says that a person wrote this, and nobody was seen typing. It counts, since that closes more than it opens; but an
 * agent that forges a hook could tell its reviewer what to say, so the reviewer is told.
 */
const doubtful = (text: string): string =>
  text.replace(/^(\s*#roz(?!\S))?\s*/, (_, word = '') =>
    `${word} [agency saw nobody type this prompt] `.trimStart(),
  )

export const workReviewOf = (options: WorkReviewOptions): WorkReview => {
  const { reviews, inspect, escalation, log, holdMs = defaults.holdMs } = options
  const gone = new AbortController()
  let { begun } = options
  let unneeded = false
  let first: Promise<string> | undefined
  let typed = false
  let found: Promise<Setting> | undefined
  /** Never two for one session. */
  let working: Promise<void> | undefined
  /** Gated calls, one after the other: each that is stopped voids the approval that another may just be waiting for. */
  let line: Promise<Answer> = Promise.resolve(none)

  const setting = (): Promise<Setting> => {
    found ??= options.setting()
    // What failed once may have been repaired.
    found.catch(() => {
      found = undefined
    })
    return found
  }

  /** Before anything is done: what is changed later is what is reviewed. Why that is not possible. */
  const untouched = async (): Promise<string | undefined> => {
    first ??= options.snapshot()
    try {
      await first
      return undefined
    } catch (error) {
      first = undefined
      return oneLine((error as Error).message, 500)
    }
  }

  const treeFor = async ({ bind_tree }: Setting): Promise<{ tree?: string }> =>
    bind_tree ? { tree: await options.snapshot() } : {}

  const inspected = async (chosen: Setting): Promise<void> => {
    const { id: attempt } = await reviews.begin('process')
    try {
      const now = await options.snapshot()
      const said = await inspect({ attempt, setting: chosen, now }, gone.signal)
      if (gone.signal.aborted) return
      if (said.kind === 'failed') await reviews.failed(attempt, said.why)
      else {
        const { kind: _kind, walls: _walls, ...verdict } = said
        await reviews.decide({ ...verdict, tree: now }, { kind: 'process', attempt })
      }
    } catch (error) {
      if (!gone.signal.aborted) await reviews.failed(attempt, (error as Error).message)
    }
  }

  /** Resolves when there is a verdict, or none will come. Of a host before nobody is at work any more. */
  const review = (chosen: Setting): Promise<void> => {
    if (working !== undefined) return working
    options.reviewing?.(true)
    working = inspected(chosen).finally(() => {
      working = undefined
      options.reviewing?.(false)
    })
    // Whoever waits hears of it; where nobody does, the next who asks finds no verdict.
    working.catch((error: Error) => log.warn('a review could not be stored', { reason: error.message }))
    return working
  }

  /** Resolves when a hook has been held long enough. */
  const heldLong = (): { readonly late: Promise<false>; readonly forget: () => void } => {
    const timer = new AbortController()
    const late = wait(holdMs, undefined, { ref: false, signal: timer.signal }).then(
      () => false as const,
      () => false as const,
    )
    return { late, forget: () => timer.abort() }
  }

  const passing = async (
    { call }: Of<'tool_asked'>,
    place: Place,
    chosen: Setting,
    late: Promise<false>,
  ): Promise<Answer> => {
    const ask = async (): Promise<Gate> => reviews.gate(call, { place, ...(await treeFor(chosen)) })
    const first = await ask()
    if (first.kind === 'pass') return none
    // Told what was found, it has to do that first.
    if (first.need !== 'begin' && first.need !== 'wait') return deny(first.reason)
    const done = await Promise.race([review(chosen).then(() => true), late])
    if (!done) return deny(first.reason)
    const then = await ask()
    return then.kind === 'pass' ? none : deny(then.reason)
  }

  const called: WorkReview['called'] = async (event) => {
    const chosen = await setting()
    if (isOff(chosen)) return none
    const place = await options.place(event.cwd)
    if (!(await reviews.isGated(event.call, place))) return none
    const { late, forget } = heldLong()
    const turn = line.then(() => passing(event, place, chosen, late)).finally(forget)
    line = turn.catch(() => none)
    return turn
  }

  /** Asks until there is an answer that a reviewer is not needed for. */
  const stop = async (
    again: boolean,
    chosen: Setting,
    held: () => void,
  ): Promise<Exclude<Stop, { kind: 'review' }>> => {
    for (let rounds = 0; ; rounds += 1) {
      // What the agent says of its background frees nothing.
      const said = await reviews.stop({ again, background: false, ...(await treeFor(chosen)) })
      if (said.kind !== 'review') return said
      if (rounds === 0) held()
      if (rounds === mostRounds)
        return {
          kind: 'block',
          reason: 'The work goes on changing while it is reviewed. Let it rest, then finish.',
        }
      await review(chosen)
      // The host goes: whoever comes next is asked again.
      if (gone.signal.aborted) return new Promise(() => {})
    }
  }

  const begin = async (): Promise<void> => {
    unneeded = isOff(await setting())
    if (!unneeded) await escalation.start()
  }
  const start = (): void =>
    // Until it is known, the work is held.
    void begin().catch((error: Error) =>
      log.warn('what became of a review cannot be read', { reason: error.message }),
    )

  return {
    start,
    called,
    hear: (signal, { waiting }) => {
      // Keys of a person, which the keeper saw; those for a dialog are no prompt.
      const submits =
        signal.from === 'keeper' && signal.event.kind === 'typed' && signal.event.key === 'submit'
      if (submits && waiting.length === 0) typed = true
    },
    ended: async (event, held) => {
      const chosen = await setting()
      if (isOff(chosen)) return none
      const said = await stop(event.again, chosen, held)
      if (said.kind === 'block') return { kind: 'deny', reason: said.reason }
      if (said.escalated) await escalation.ask()
      return { kind: 'none', ...(said.warning !== undefined && { warning: said.warning }) }
    },
    heard: async (event) => {
      const chosen = await setting()
      if (isOff(chosen)) return none
      switch (event.kind) {
        case 'session_started':
          // A second beginning of the same process is none.
          if (!begun || event.source !== 'startup') await reviews.started(event.source)
          begun = true
          return none
        case 'prompted': {
          const why = await untouched()
          if (why !== undefined) return deny(`its files cannot be kept for the review (${why}).`)
          const { text, person, ...more } = options.spoken(event)
          const unseen = person && event.header === undefined && !typed
          typed = false
          if (event.subagent === undefined)
            await reviews.prompted({ text: unseen ? doubtful(text) : text, person, ...more })
          return none
        }
        case 'tool_done':
        case 'tool_failed':
          await reviews.completed({
            id: event.call.id,
            tool: event.call.tool,
            ok: event.kind === 'tool_done',
          })
          return none
        default:
          return none
      }
    },
    isOn: async () => !isOff(await setting()),
    outcome: async () => {
      const chosen = await setting()
      const said = await stop(false, chosen, () => {})
      if (said.kind === 'block') return { kind: 'back', feedback: said.reason }
      return said.escalated ? { kind: 'escalated', approval: await escalation.ask() } : { kind: 'accepted' }
    },
    standing: () => (unneeded ? 'free' : escalation.standing()),
    asked: escalation.asked,
    answered: escalation.answered,
    renew: () => {
      found = undefined
      start()
    },
    over: (why) => {
      gone.abort()
      escalation.over(why)
      void setting()
        .then(async (chosen) => (isOff(chosen) ? undefined : reviews.ended(why)))
        .catch((error: Error) =>
          log.warn('the end of a review could not be stored', { reason: error.message }),
        )
    },
    close: () => {
      gone.abort()
      escalation.close()
    },
  }
}
