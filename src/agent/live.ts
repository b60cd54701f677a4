// An agent while its session lives: what is heard of it, what it is answered, and its end.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Approvals } from '../approval/desk.ts'
import type { Log } from '../base/log/open.ts'
import type { Budgets } from '../budget/book.ts'
import type { Meter } from '../budget/meter.ts'
import { claude } from '../driver/claude/driver.ts'
import type { Driver } from '../driver/driver.ts'
import { activity } from '../journal/rules.ts'
import type { Fact } from '../journal/schema.ts'
import type { Keeper } from '../keeper/reach.ts'
import type { Exit } from '../keeper/schema.ts'
import { closeMessages } from '../message/box.ts'
import { deliver } from '../message/deliver.ts'
import type { Desk } from '../message/desk.ts'
import { type Heartbeat, pulseOf } from '../message/pulse.ts'
import { release } from '../session/dismiss.ts'
import { renameSession } from '../session/heard.ts'
import { isOver, stateOf } from '../session/rules.ts'
import type { Session, SessionState } from '../session/schema.ts'
import type { Place } from '../session/tail.ts'
import type { Book } from '../task/book.ts'
import { readPrompt } from '../task/history/read.ts'
import { type Tasks, tasksOf } from '../task/terminal.ts'
import type { AgentEntry } from './api.ts'
import { bondOf } from './bond.ts'
import { type AgentFacts, entryOf } from './entry/rules.ts'
import { afterEnd } from './escalate.ts'
import { followingOf } from './following.ts'
import { hearingOf } from './hearing.ts'
import { type HookOptions, type Hooks, hooksOf } from './hooks.ts'
import { forbidsOf, judgeOf, keptLaw } from './judge.ts'
import { latch } from './latch.ts'
import { remember } from './memory.ts'
import { watchOutput } from './output.ts'
import { roleOf } from './patience.ts'
import { type Permits, permitOf, type Review } from './permit.ts'
import { type Purse, purseOf } from './purse.ts'
import { type Requests, requestsOf } from './request.ts'
import type { WorkReview } from './review.ts'
import type { ReviewedSession, WorkReviews } from './reviewed.ts'
import { type Ended, endEvent, isRepeated, silenceOf, spokenIn, unlaunched } from './rules.ts'

export type LiveOptions = {
  readonly root: string
  readonly facts: AgentFacts
  readonly born: Session
  /** The id of its launch: the journal and its keeper know it by that. */
  readonly subject: string
  /** Absent for an unmanaged agent. */
  readonly driver?: Driver | undefined
  readonly keeper: Keeper
  /** From where its transcript is heard. */
  readonly transcript?: Place | undefined
  readonly now: () => number
  readonly record: (...facts: readonly Fact[]) => void
  readonly append: (facts: readonly Fact[]) => Promise<unknown>
  /** Resolves when what was recorded is on the disk; false = it is not. */
  readonly written: () => Promise<boolean>
  readonly desk: Desk
  readonly book: Book
  readonly approvals: Approvals
  readonly budgets: Pick<Budgets, 'watch'>
  readonly meter: Meter
  /** How long a person may take to answer, in milliseconds; undefined = as long as it waits. */
  readonly patience: () => Promise<number | undefined>
  readonly review?: Review | undefined
  readonly works: Pick<WorkReviews, 'of'>
  readonly called?: ReviewedSession['called']
  readonly heartbeat?: Heartbeat | undefined
  /** It was told to end by a host before, and its keeper is to launch it again. */
  readonly keep?: boolean | undefined
  /** It may take what waits for an agent. */
  readonly freed: () => void
  readonly log: Log
}

export type Live = {
  readonly name: string
  /** It takes what waits for whoever is free, not only what names it. */
  readonly queue: boolean
  readonly subject: string
  readonly keeper: () => Keeper
  readonly session: () => Session
  readonly state: () => SessionState
  entry(): AgentEntry
  readonly tasks: Tasks
  /** Absent for an unmanaged agent. */
  readonly hooks?: Hooks
  /** Absent for an unmanaged agent. */
  readonly requests?: Requests
  /** What a collector tells of it; absent where its own hooks tell all. */
  readonly collect?: (heard: Heard) => void
  /** Resolves when it is on the disk, if it can be. */
  telemetry(id: string, input: unknown): Promise<void>
  /** It takes no new work; `false` = it does again. */
  drain(on?: boolean): void
  /** The law that was kept for it was replaced: the next call is judged by the new one. */
  renew(): void
  /** Which process is the child; told once it is known. */
  runs(pid: number): void
  /** Resolves with its first hook; rejects with the reason why none will come. */
  readonly reported: Promise<void>
  /**
   * Resolves when nothing of it is left. null = it was never launched, or its keeper was killed. `keep`: the keeper stays
   * to launch it again.
   */
  end(grace: number, how?: { readonly keep: boolean }): Promise<Exit | null>
  readonly over: Promise<void>
  /** The host goes; the session stays with its keeper. */
  leave(): Promise<void>
}

/** An event of a hook, by what it is called. */
export type Heard = { readonly event: string; readonly tool?: string; readonly session?: string }

const grace = 5_000
/** How messages are typed into a program that is not supervised. */
const plain = claude('2.1.325')

export const liveOf = (options: LiveOptions): Live => {
  const { root, facts, born, subject, driver, log, now, record, append, written, desk, book } = options
  const box = desk.box(facts.name)
  const { directory } = options.keeper.found
  let pid: number | undefined
  let concluded = false
  let exit: Exit | null = null
  let stopping = false
  let left = false
  let keeping = options.keep ?? false
  const posts = new Map<string, true>()
  const reported = latch()
  const over = latch()
  // Whoever launches waits for it; of a recovered one nobody does.
  reported.promise.catch(() => undefined)

  const changed = (session: Session, before: Session): void => {
    box.follow(session)
    tasks.look()
    pulse.look()
    permit?.follow(session)
    purse.follow(session, before)
    if (stateOf(before).name === 'idle' && stateOf(session).name !== 'idle') transcript.hurry()
    if (session.started || !session.managed) reported.resolve()
    const why = silenceOf(session)
    if (why !== undefined) reported.reject(new Error(why))
    if (session.id !== before.id)
      renameSession(directory, session.id).catch((error: Error) =>
        log.error('the new conversation could not be noted', { agent: facts.name, reason: error.message }),
      )
    // It could act unseen: fails closed.
    if (stateOf(session).name === 'unsupervised' && !stopping) {
      log.error('an agent is unsupervised and is stopped', { agent: facts.name, why })
      void end(grace)
    }
  }

  const hearing = hearingOf({
    born,
    subject,
    now,
    record,
    hearing: (signal, before) => {
      box.hear(signal, before)
      permit?.hear(signal, before)
      purse.hear(signal)
      work?.hear(signal, before)
    },
    changed,
  })
  const { tell, session } = hearing
  const known = options.transcript?.path
  const { law, renew } = keptLaw(directory, () => roleOf(root, facts))
  const under = {
    law,
    ground: {
      root,
      tree: facts.cwd,
      session: directory,
      // A transcript is <config>/projects/<tree>/<session>.jsonl.
      ...(known === undefined ? {} : { config: dirname(dirname(dirname(known))) }),
    },
  }
  const who = { agent: facts.name, role: facts.role, pod: facts.pod }
  const permit: Permits | undefined =
    driver &&
    permitOf({
      ...who,
      session: subject,
      terminal: true,
      approvals: options.approvals,
      patience: options.patience,
      review: options.review,
      forbids: forbidsOf(under),
      tell,
    })

  const work: WorkReview | undefined =
    driver &&
    options.works.of({
      ...who,
      subject,
      directory,
      ground: under.ground,
      called: options.called,
      roleNow: () => roleOf(root, facts),
      spoken: (event) => spokenIn(event, box.messages()),
      patience: options.patience,
      what: () => tasks.current()?.id ?? facts.name,
      begun: born.started,
      moved: () => tasks.look(),
    })

  const transcript = followingOf({ driver, place: options.transcript, directory, session, tell, written })

  const tellHook: HookOptions['tell'] = (signal) => {
    const again = signal.from === 'hook' && isRepeated(signal.event, session(), box.messages(), born.turn)
    if (!again) tell(signal)
  }

  const refused: HookOptions['refused'] = ({ header }, reason) => {
    if (header !== undefined) box.tell(header.id, { from: 'refused', reason }, session())
  }

  const judge = judgeOf({ subject, ...under, terminal: true, budget: (call) => purse.opinion(call), record })

  const finish = async (ended: Ended): Promise<void> => {
    forget()
    if (ended.how === 'exited') exit = ended.exit
    await transcript.close()
    post.close()
    pulse.close()
    closeMessages(box, session(), transcript.on)
    tell({ from: 'keeper', event: endEvent(ended) })
    permit?.close()
    void options.approvals.over(subject, 'its session ended')
    tasks.close()
    purse.over()
    purse.close()
    work?.over('its session ended')
    log.info(`agents/${facts.name}: ${stateOf(session()).name}`, { session: subject })
    if (keeping) bond.leave()
    else if (ended.how === 'exited')
      await release(bond.keeper()).catch((error: Error) =>
        log.warn('a keeper could not be released', { agent: facts.name, reason: error.message }),
      )
    hearing.close()
    over.resolve()
  }
  const conclude = (ended: Ended): void => {
    if (!concluded) void finish(ended)
    concluded = true
  }

  const bond = bondOf(options.keeper, {
    ended: conclude,
    typed: (key) => tell({ from: 'keeper', event: { kind: 'typed', key } }),
  })
  const forget = born.managed
    ? () => {}
    : watchOutput(bond.keeper, () => tell({ from: 'keeper', event: { kind: 'output' } }))
  if (!born.managed) reported.resolve()
  const dismiss = (why: string): number => permit?.dismiss(why) ?? 0
  const hands = { agent: facts.name, session, keeper: bond.keeper, driver: driver ?? plain, tell, now, log }
  const post = deliver({
    ...hands,
    box,
    directory,
    // The plan makes the place only for those who may read there.
    mayRead: existsSync(join(directory, 'messages')),
    written,
  })
  const purse: Purse = purseOf({
    ...hands,
    meter: options.meter,
    budgets: options.budgets,
    tasks: () => tasks,
    dismiss,
    end: () => void end(grace),
  })
  const tasks = tasksOf({
    ...hands,
    prompt: (id) => readPrompt(options.root, id, 1),
    dismiss,
    ...(work && { standing: () => (isOver(session()) ? afterEnd(work.standing()) : work.standing()) }),
    limit: () => purse.refusal(),
    book,
    desk,
    written,
    freed: options.freed,
  })
  // A host before may have been killed between counting and ending its turn.
  purse.look()
  work?.start()
  const pulse = pulseOf({ ...hands, cwd: facts.cwd, desk, heartbeat: options.heartbeat })

  /** undefined = the keeper died, and took the session along; or the host goes first. */
  const askEnd = async (patience: number): Promise<Exit | null | undefined> => {
    while (!left) {
      try {
        return await bond.keeper().end(patience)
      } catch {
        // The line broke. The bond takes it up again, or tells how the session ended.
        if (concluded) return undefined
        await Promise.race([over.promise, wait(200, undefined, { ref: false })])
      }
    }
    return undefined
  }

  const end: Live['end'] = async (patience, { keep } = { keep: false }) => {
    stopping = true
    // Asked again without it, it is not launched again.
    keeping = keep
    const how = await askEnd(patience)
    if (how !== undefined) {
      bond.settle()
      const never = unlaunched(now(), (at) => new Date(at).toISOString())
      conclude(how === null ? never : { how: 'exited', exit: how })
    }
    await over.promise
    return how ?? exit
  }

  return {
    name: facts.name,
    queue: facts.queue === true,
    subject,
    keeper: bond.keeper,
    session,
    tasks,
    state: () => stateOf(session()),
    entry: () => {
      const running = isOver(session()) ? {} : { pid, keeper: bond.keeper().found.pid }
      const said = entryOf(
        facts,
        session(),
        { ...running, limit: purse.worst(), review: work?.asked() },
        box.waiting(),
        now(),
      )
      // Nobody shall take it for ended: another process is about to start.
      return keeping ? { ...said, state: 'draining', text: 'draining: it is launched again' } : said
    },
    ...(driver && {
      hooks: hooksOf({
        driver,
        tree: facts.cwd,
        subject,
        told: born,
        tell: tellHook,
        append,
        record,
        written,
        heard: transcript.heard,
        refused,
        judge,
        permit,
        review: work,
        limit: purse.limit,
      }),
    }),
    ...(driver && permit && { requests: requestsOf({ driver, permit, session, cwd: facts.cwd }) }),
    ...(driver === undefined && {
      collect: (heard) => record(activity('session.collected', subject, heard)),
    }),
    telemetry: async (id, input) => {
      if (driver === undefined || posts.has(id)) return
      remember(posts, id, true)
      for (const event of driver.readTelemetry(input)) tell({ from: 'telemetry', event })
      await written()
    },
    drain: (on = true) => tell({ from: 'host', draining: on }),
    renew: () => {
      renew()
      work?.renew()
    },
    runs: (child) => {
      pid = child
    },
    reported: reported.promise,
    end,
    over: over.promise,
    leave: async () => {
      left = true
      post.close()
      tasks.close()
      purse.close()
      pulse.close()
      permit?.close()
      work?.close()
      bond.leave()
      forget()
      await transcript.close()
      hearing.close()
    },
  }
}
