// What is heard of one attempt while it runs: its hooks, which are answered, its telemetry and the lines it prints.

import type { Approvals } from '../../approval/desk.ts'
import { mask } from '../../base/secret/rules.ts'
import type { Meter } from '../../budget/meter.ts'
import { readCut } from '../../driver/claude/stream/rules.ts'
import type { Driver } from '../../driver/driver.ts'
import type { StreamEvent } from '../../driver/schema.ts'
import type { Fact } from '../../journal/schema.ts'
import type { Role } from '../../role/schema.ts'
import { launched, stateOf } from '../../session/rules.ts'
import { configOf } from '../../task/plan/rules.ts'
import type { Told } from '../asked.ts'
import { asking } from '../asking.ts'
import { guardOf } from '../guard.ts'
import { hearingOf } from '../hearing.ts'
import { type Hooks, hooksOf } from '../hooks.ts'
import { forbidsOf, judgeOf, keptLaw } from '../judge.ts'
import { latch } from '../latch.ts'
import { remember } from '../memory.ts'
import { type Permits, permitOf, type Review } from '../permit.ts'
import type { WorkReview } from '../review.ts'
import { silenceOf } from '../rules.ts'
import { tallyOf } from './tally.ts'

export type Ear = {
  readonly hooks: Hooks
  telemetry(id: string, input: unknown): Promise<void>
  /** A line of its output, or how long one was. */
  line(cut: { readonly text: string; readonly length: number }): void
  /** All that decides what the attempt came to. */
  decisive(): readonly StreamEvent[]
  /** The last words so far. */
  said(): string
  progress(): { readonly turns: number; readonly tokens: number; readonly tool?: string }
  /** Resolves with its first hook; rejects with why none will come, or why it must be stopped. */
  readonly reported: Promise<void>
  close(): void
}

export type EarOptions = {
  readonly agent: string
  /** Who asks, for whoever is asked. */
  readonly named: { readonly role: string; readonly pod?: string | undefined }
  /** The session of the attempt. */
  readonly session: string
  readonly driver: Driver
  readonly tree: string
  readonly root: string
  /** Of the attempt: what it was launched with is kept there. */
  readonly directory: string
  /** The role as it is now. */
  readonly role: () => Promise<Role>
  /** How long the first hook may take. */
  readonly reportMs: number
  /** Calls that another host has heard of; undefined = it begins now. */
  readonly told?: Told | undefined
  readonly now: () => number
  readonly record: (...facts: readonly Fact[]) => void
  /** Its prompt is decided on as it is, so a refusal may quote them. */
  readonly secrets?: readonly string[]
  readonly append: (facts: readonly Fact[]) => Promise<unknown>
  readonly written: () => Promise<unknown>
  readonly approvals: Approvals
  /** How long a person may take to answer, in milliseconds. */
  readonly patience: () => Promise<number | undefined>
  readonly review?: Review | undefined
  readonly work: WorkReview
  readonly meter: Meter
  /** It could act unseen. */
  readonly escaped: (why: string) => void
  /** Something went on. */
  readonly moved: () => void
}

const quiet = (fact: Fact, secrets: readonly string[]): Fact =>
  fact.type === 'session.refused' || fact.type === 'session.decided'
    ? { ...fact, data: { ...fact.data, reason: mask(String(fact.data.reason), secrets) } }
    : fact

export const earOf = (options: EarOptions): Ear => {
  const { agent, session: id, driver, tree, root, directory, reportMs, told, now, append, written } = options
  const record: EarOptions['record'] = (...facts) =>
    options.record(...facts.map((fact) => quiet(fact, options.secrets ?? [])))
  const at = now()
  const born = launched({ id, agent, managed: true, reviewer: false, at, reportMs })
  const reported = latch()
  // Whoever started the attempt waits for it; of one that was met again nobody does.
  reported.promise.catch(() => undefined)
  const posts = new Map<string, true>()
  const events: StreamEvent[] = []
  let [turns, said, fled] = [0, '', false]

  const hearing = hearingOf({
    born:
      told === undefined
        ? born
        : asking(
            { ...born, started: true, asked: [...told.asked], closed: [...told.closed] },
            options.approvals,
            id,
          ),
    subject: id,
    now,
    // Its task is what the journal tells of.
    record: () => {},
    hearing: (signal, before) => permit.hear(signal, before),
    changed: (session) => {
      permit.follow(session)
      options.moved()
      if (session.started) reported.resolve()
      const why = silenceOf(session)
      if (why !== undefined) reported.reject(new Error(why))
      if (stateOf(session).name !== 'unsupervised' || fled) return
      fled = true
      options.escaped(session.unsupervised ?? 'it got away')
    },
  })
  const { tell, session } = hearing
  const hide = (text: string): string => mask(text, options.secrets ?? [])
  const { review } = options
  const under = {
    law: keptLaw(directory, options.role).law,
    ground: { root, tree, session: directory, config: configOf(root, agent) },
  }
  const permit: Permits = permitOf({
    agent,
    ...options.named,
    session: id,
    terminal: false,
    approvals: options.approvals,
    patience: options.patience,
    review: review && ((request, left) => review({ ...request, hide }, left)),
    forbids: forbidsOf(under),
    tell,
  })

  const tally = tallyOf(options.meter)
  const guard = guardOf({ meter: options.meter, isCounted: tally.knows, now })

  const hear = (event: StreamEvent): void => {
    tally.hear(event)
    if (driver.decisive(event)) events.push(event)
    if (event.kind === 'ended') tell({ from: 'transcript', event: { kind: 'ended', ended: event.ended } })
    if (event.kind === 'said' && event.parent === undefined) said = event.text
  }

  return {
    hooks: hooksOf({
      driver,
      tree,
      subject: id,
      told,
      tell,
      append,
      record,
      written,
      // Whichever comes first shows that it is supervised: a headless session has no hook for its start.
      heard: ({ session: id, cwd, transcript }) => {
        const started = { session: id, cwd, transcript, kind: 'session_started', source: 'startup' } as const
        if (!session().started) tell({ from: 'hook', event: started })
      },
      refused: () => {},
      judge: judgeOf({ subject: id, ...under, terminal: false, budget: guard.opinion, record }),
      permit,
      review: options.work,
      limit: guard.limit,
    }),
    telemetry: async (post, input) => {
      if (posts.has(post)) return
      remember(posts, post, true)
      for (const event of driver.readTelemetry(input)) {
        if (event.kind === 'requested') tally.told(event.usage)
        tell({ from: 'telemetry', event })
      }
    },
    line: (cut) => {
      const found = readCut(cut)
      if (
        found.some(
          (event) => (event.kind === 'said' || event.kind === 'called') && event.parent === undefined,
        )
      )
        turns += 1
      for (const event of found) hear(event)
      guard.heard(false)
      options.moved()
    },
    decisive: () => events,
    said: () => said,
    progress: () => {
      const tool = session().calls.at(-1)?.tool
      return { turns, tokens: tally.tokens(), ...(tool === undefined ? {} : { tool }) }
    },
    reported: reported.promise,
    close: () => {
      permit.close()
      hearing.close()
    },
  }
}
