// When reviews went in circles a person is asked whether the work is accepted as it is. The question is durable: a host
// that comes later finds it, and what was answered meanwhile. Until then the work does not count.
import type { Approvals, Asking } from '../approval/desk.ts'
import { isSettled, verdictOf } from '../approval/rules.ts'
import type { Approval } from '../approval/schema.ts'
import { fail } from '../base/error/fail.ts'
import type { Log } from '../base/log/open.ts'
import type { SessionReviews } from '../review/desk.ts'
import { isOwed } from '../review/record/rules.ts'
import type { Review } from '../review/schema.ts'
import type { Standing } from '../task/rules.ts'

export type Escalation = {
  /** Goes on with what a host before has asked. */
  start(): Promise<void>
  /** Asks a person, once for each time. Resolves with the id when that is stored. */
  ask(): Promise<string>
  /** Resolves when it is answered, and that is stored. */
  answered(id: string): Promise<Standing>
  /** The question that is open. */
  asked(): string | undefined
  standing(): Standing
  /** Nobody's work any more. */
  over(why: string): void
  close(): void
}

export type EscalationOptions = {
  readonly agent: string
  readonly role?: string | undefined
  readonly pod?: string | undefined
  /** By the id of its launch. */
  readonly session: string
  readonly reviews: SessionReviews
  /** Called after each change of this review. */
  readonly watch: (see: (review: Review) => void) => () => void
  readonly approvals: Approvals
  /** The tree, as one hash. */
  readonly snapshot: () => Promise<string>
  /** How long a person may take, in milliseconds; undefined = as long as it takes. */
  readonly patience: () => Promise<number | undefined>
  /** What is reviewed, for whoever is asked. */
  readonly what: () => string
  /** The standing may be another one. */
  readonly moved: () => void
  readonly log: Pick<Log, 'warn'>
}

/** Not that of the session: what a session asks is over with its turn, and this is not. */
export const askerOf = (session: string): string => `review:${session}`
/** Whose work is asked about; undefined = a session asks for itself. */
export const reviewedBy = (asker: string): string | undefined =>
  asker.startsWith('review:') ? asker.slice('review:'.length) : undefined

const issuesIn = ({ decisions, attempts }: Review): string => {
  const last = decisions.at(-1)
  if (last?.verdict === 'ISSUES')
    return [last.summary, last.message ?? ''].filter((text) => text !== '').join('\n')
  const why = attempts.findLast((attempt) => attempt.why !== undefined)?.why
  return why === undefined ? 'nobody has reviewed it' : `the reviewer gave no verdict: ${why}`
}

/** What a review lets its work count for. `answer` is that of the person who was asked last. */
export const standingOf = (review: Review | undefined, answer: Approval | undefined): Standing => {
  if (review === undefined || !isOwed(review)) return 'free'
  if (review.state !== 'escalated' || answer === undefined || verdictOf(answer) !== 'deny') return 'held'
  const said = answer.answer?.via === 'expiry' ? 'nobody accepted it in time' : `${answer.answer?.by} said no`
  return { refused: `The work was not accepted (${said}): ${issuesIn(review)}` }
}

/** Nobody goes on with it: what is open stays undone. */
export const afterEnd = (standing: Standing): Standing =>
  standing === 'held' ? { refused: 'Its session ended before its work was reviewed and accepted.' } : standing

export const escalationOf = (options: EscalationOptions): Escalation => {
  const { agent, role, pod, session, reviews, approvals, moved, log } = options
  const asker = askerOf(session)
  let review: Review | undefined
  let known = false

  const last = (): Approval | undefined => approvals.list(asker).at(-1)
  const asked = (): string | undefined => approvals.list(asker).find(({ life }) => life === 'asked')?.id

  const see = (next: Review): void => {
    review = next
    // It was reviewed again, or the person has gone on: nobody has to answer.
    if (next.state !== 'escalated')
      for (const { id, life } of approvals.list(asker))
        if (life === 'asked') void approvals.tell(id, { from: 'over', why: `its work is ${next.state}` })
    moved()
  }

  const accept = async (approval: Approval): Promise<void> => {
    const { by = 'a person', reason } = approval.answer ?? {}
    const summary = `Accepted by ${by}${reason === undefined ? '' : `: ${reason}`}`
    const tree = await options.snapshot()
    await reviews.decide({ verdict: 'COMPLETE', summary, tree }, { kind: 'person', name: by })
  }

  /** What a person said is done once, also by the next host. */
  const settle = async (approval: Approval): Promise<void> => {
    const verdict = verdictOf(approval)
    if (isSettled(approval) || verdict === undefined) return
    if (verdict === 'allow' && review?.state === 'escalated') await accept(approval)
    await approvals.tell(approval.id, { from: verdict === 'allow' ? 'ran' : 'unrun' })
  }

  const attend = async (id: string): Promise<Standing> => {
    // One that is not known any more was settled long ago.
    if (approvals.list(asker).some((one) => one.id === id)) await settle(await approvals.answered(id))
    review = await reviews.state()
    moved()
    return standingOf(review, last())
  }
  const follow = (id: string): void =>
    void attend(id).catch((error: Error) =>
      log.warn('what a person said of the work could not be stored', { agent, reason: error.message }),
    )

  let stop: (() => void) | undefined
  /** From here on what becomes of the review is known. */
  const listen = async (): Promise<Review | undefined> => {
    stop ??= options.watch(see)
    review = await reviews.state()
    return review
  }

  const askingOf = async (found: Review): Promise<Asking> => {
    const time = await options.patience()
    return {
      agent,
      ...(role !== undefined && { role }),
      ...(pod !== undefined && { pod }),
      session: asker,
      hook: `tripped ${found.tripped ?? 0}`,
      tool: 'review',
      input: { description: `Accept the work of ${options.what()} as it is?`, issues: issuesIn(found) },
      terminal: false,
      ...(time !== undefined && { patience: time }),
    }
  }

  return {
    start: async () => {
      await listen()
      known = true
      for (const approval of approvals.list(asker)) if (!isSettled(approval)) follow(approval.id)
      moved()
    },
    ask: async () => {
      const found = await listen()
      if (found === undefined) return fail('internal', { what: 'a review is gone' })
      const { id } = await approvals.ask(await askingOf(found))
      follow(id)
      moved()
      return id
    },
    answered: async (id) => {
      await listen()
      return attend(id)
    },
    asked,
    // Where nobody knows, it is held.
    standing: () => (known ? standingOf(review, last()) : 'held'),
    over: (why) => {
      void approvals.over(asker, why)
    },
    close: () => stop?.(),
  }
}
