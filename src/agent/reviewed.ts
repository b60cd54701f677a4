// What the reviews of all sessions of a host have in common: the desk that keeps them, and who looks at the work.
import type { Approvals } from '../approval/desk.ts'
import type { Log } from '../base/log/open.ts'
import type { HookEvent } from '../driver/schema.ts'
import type { Reviews } from '../review/desk.ts'
import type { Review, ReviewFile, Setting } from '../review/schema.ts'
import { isOff, settingOf } from '../review/setting/rules.ts'
import type { Role } from '../role/schema.ts'
import { readKept } from '../session/kept.ts'
import type { Snapped } from '../worktree/snapshot.ts'
import type { Thinker } from './aside/thinker.ts'
import { escalationOf } from './escalate.ts'
import type { Inspect } from './inspector/inspector.ts'
import { type JudgeOptions, placesIn } from './judge.ts'
import { type WorkReview, workReviewOf } from './review.ts'

export type ReviewedSession = {
  readonly agent: string
  readonly role?: string | undefined
  readonly pod?: string | undefined
  /** By the id of its launch. */
  readonly subject: string
  /** Of the session: what it was launched with is kept there. */
  readonly directory: string
  readonly ground: JudgeOptions['ground']
  /** The program and the environment of whoever launched it, where they are known. */
  readonly called?: Thinker | undefined
  /** As it is now. */
  readonly roleNow: () => Promise<Role>
  readonly spoken: (event: Extract<HookEvent, { kind: 'prompted' }>) => {
    readonly text: string
    readonly person: boolean
  }
  /** How long a person may take, in milliseconds; undefined = as long as it takes. */
  readonly patience: () => Promise<number | undefined>
  /** What is reviewed, for whoever is asked. */
  readonly what: () => string
  readonly begun: boolean
  readonly moved: () => void
  readonly reviewing?: ((begins: boolean) => void) | undefined
}

export type WorkReviews = {
  of(session: ReviewedSession): WorkReview
  /** A session is given something to do, under this role; where nothing is reviewed, nobody asks what it is. */
  begins(session: string, role: Role, prompt: () => Promise<string>): Promise<void>
  /** What is known of a session that is over. */
  find(session: string): Promise<Review | undefined>
}

export type WorkReviewsOptions = {
  readonly root: string
  readonly reviews: Reviews
  readonly inspect: Inspect
  readonly snapshot: (where: Snapped) => Promise<string>
  readonly approvals: Approvals
  /** `review:` of the root. */
  readonly settings: ReviewFile | undefined
  readonly log: Pick<Log, 'warn'>
  readonly holdMs?: number | undefined
}

export const workReviewsOf = (options: WorkReviewsOptions): WorkReviews => {
  const { root, reviews: desk, approvals, settings, log } = options

  const managed = (role: ReviewFile | undefined): Setting => {
    const found = settingOf(settings, role)
    // A reviewer inside the session is as much in the agent's hands as the session is.
    return { ...found, reviewer: { ...found.reviewer, kind: 'process' } }
  }

  const of: WorkReviews['of'] = (session) => {
    const { agent, subject, directory, roleNow, ground } = session
    const { tree } = ground
    const setting = async (): Promise<Setting> => {
      const kept = await readKept(directory)
      return managed(kept === undefined ? (await roleNow()).review : kept.review)
    }
    let known: Promise<Setting> | undefined
    const reviews = desk.of(subject, () => known ?? setting())
    const snapshot = () => options.snapshot({ root, session: subject, tree })
    const escalation = escalationOf({
      ...session,
      session: subject,
      reviews,
      approvals,
      snapshot,
      watch: (see) => desk.watch((review) => review.session === subject && see(review)),
      log,
    })
    return workReviewOf({
      ...session,
      reviews,
      snapshot,
      escalation,
      log,
      setting: () => {
        known = setting()
        return known
      },
      place: placesIn(ground),
      inspect: async ({ attempt, setting, now }, gone) => {
        const [review, role] = await Promise.all([reviews.state(), roleNow()])
        if (review === undefined) return { kind: 'failed', why: 'its record is gone' }
        const { called } = session
        return options.inspect(
          { agent, session: subject, directory, tree, role, setting, review, attempt, now, called },
          gone,
        )
      },
      ...(options.holdMs !== undefined && { holdMs: options.holdMs }),
    })
  }
  return {
    of,
    begins: async (session, role, prompt) => {
      const setting = managed(role.review)
      if (isOff(setting)) return
      await desk.of(session, async () => setting).prompted({ text: await prompt(), person: true })
    },
    find: desk.find,
  }
}
