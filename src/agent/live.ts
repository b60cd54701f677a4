// An agent while its session lives: what is heard of it, what it is answered, and its end.
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Approvals } from '../approval/desk.ts'
import type { Log } from '../base/log/open.ts'
import { claude } from '../driver/claude/driver.ts'
import type { Driver } from '../driver/driver.ts'
import type { HookEvent } from '../driver/schema.ts'
import type { Fact } from '../journal/schema.ts'
import type { Keeper } from '../keeper/reach.ts'
import type { Exit } from '../keeper/schema.ts'
import { closeMessages } from '../message/box.ts'
import { deliver } from '../message/deliver.ts'
import type { Desk } from '../message/desk.ts'
import { type Heartbeat, pulseOf } from '../message/pulse.ts'
import { defaultRole } from '../role/builtin/schema.ts'
import { loadRole } from '../role/load.ts'
import { release } from '../session/dismiss.ts'
import { renameSession, saveHeard } from '../session/heard.ts'
import { isOver, stateOf } from '../session/rules.ts'
import type { Session, SessionState } from '../session/schema.ts'
import { openTail, type Place, type Tail } from '../session/tail.ts'
import type { Book } from '../task/book.ts'
import { readPrompt } from '../task/history/read.ts'
import { type Tasks, tasksOf } from '../task/terminal.ts'
import type { AgentEntry } from './api.ts'
import { bondOf } from './bond.ts'
import { type AgentFacts, entryOf } from './entry/rules.ts'
import { hearingOf } from './hearing.ts'
import { type HookOptions, type Hooks, hooksOf } from './hooks.ts'
import { judgeOf, keptLaw } from './judge.ts'
import { latch } from './latch.ts'
import { remember } from './memory.ts'
import { watchOutput } from './output.ts'
import { type Permits, permitOf, type Review } from './permit.ts'
import { type Ended, endEvent, isRepeated, isTranscript, silenceOf, unlaunched } from './rules.ts'

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
  /** How long a person may take to answer, in milliseconds; undefined = as long as it waits. */
  readonly patience: () => Promise<number | undefined>
  readonly review?: Review | undefined
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

const grace = 5_000
/** How messages are typed into a program that is not supervised. */
const plain = claude('2.1.325')
/** How often the transcript is looked at: soon while something goes on, now and then otherwise. */
const pauses = { busy: 300, quiet: 3_000 }

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
    if (stateOf(before).name === 'idle' && stateOf(session).name !== 'idle') tail?.hurry()
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
    },
    changed,
  })
  const { tell, session } = hearing
  const permit: Permits | undefined =
    driver &&
    permitOf({
      agent: facts.name,
      role: facts.role,
      pod: facts.pod,
      session: subject,
      terminal: true,
      approvals: options.approvals,
      patience: options.patience,
      review: options.review,
      tell,
    })

  // What was heard must be on the disk before its place is: skipped by the next host, it would never be known.
  let saved: Promise<void> = Promise.resolve()
  const tail: Tail | undefined =
    driver &&
    options.transcript &&
    openTail({
      from: options.transcript,
      line: (text) => {
        for (const event of driver.readTranscript(text)) tell({ from: 'transcript', event })
      },
      moved: (place) => {
        const { told, fresh } = session()
        const heard = { ...place, ...(told !== undefined && { told }), ...(fresh && { fresh }) }
        saved = saved.then(written).then((kept) => {
          if (kept) saveHeard(directory, heard)
        })
      },
      pause: () => (stateOf(session()).name === 'idle' ? pauses.quiet : pauses.busy),
    })

  const known = options.transcript?.path
  const files = new Set([known])
  const heard = (event: HookEvent): void => {
    // A late hook of an earlier conversation must not lead back to it.
    if (!known || files.has(event.transcript) || !isTranscript(event.transcript, known)) return
    files.add(event.transcript)
    // `/clear` begins another file, told by any hook that follows. What a resumed session said before was heard then.
    const resumed = event.kind === 'session_started' && event.source === 'resume'
    tail?.follow(event.transcript, resumed ? 'end' : 'start')
  }

  const tellHook: HookOptions['tell'] = (signal) => {
    const again = signal.from === 'hook' && isRepeated(signal.event, session(), box.messages(), born.turn)
    if (!again) tell(signal)
  }

  const refused: HookOptions['refused'] = ({ header }, reason) => {
    if (header !== undefined) box.tell(header.id, { from: 'refused', reason }, session())
  }

  const { law, renew } = keptLaw(directory, async () => {
    const { role } = await loadRole(root, facts.role ?? defaultRole, { pod: facts.pod !== undefined })
    return role
  })
  const judge = judgeOf({
    subject,
    law,
    ground: {
      root,
      tree: facts.cwd,
      session: directory,
      // A transcript is <config>/projects/<tree>/<session>.jsonl.
      ...(known === undefined ? {} : { config: dirname(dirname(dirname(known))) }),
    },
    terminal: true,
    record,
  })

  const finish = async (ended: Ended): Promise<void> => {
    forget()
    if (ended.how === 'exited') exit = ended.exit
    await tail?.close()
    await saved
    post.close()
    pulse.close()
    closeMessages(box, session(), tail !== undefined)
    tell({ from: 'keeper', event: endEvent(ended) })
    permit?.close()
    void options.approvals.over(subject, 'its session ended')
    tasks.close()
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
  const post = deliver({
    agent: facts.name,
    box,
    session,
    keeper: bond.keeper,
    driver: driver ?? plain,
    directory,
    // The plan makes the place only for those who may read there.
    mayRead: existsSync(join(directory, 'messages')),
    now,
    tell,
    written,
    log,
  })
  const tasks = tasksOf({
    prompt: (id) => readPrompt(options.root, id, 1),
    agent: facts.name,
    dismiss: (why) => permit?.dismiss(why) ?? 0,
    book,
    desk,
    session,
    keeper: bond.keeper,
    driver: driver ?? plain,
    tell,
    now,
    written,
    freed: options.freed,
    log,
  })
  const pulse = pulseOf({
    agent: facts.name,
    cwd: facts.cwd,
    desk,
    session,
    heartbeat: options.heartbeat,
    now,
    log,
  })

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
      const said = entryOf(facts, session(), running, box.waiting(), now())
      // Nobody shall take it for ended: another process is about to start.
      return keeping ? { ...said, state: 'draining', text: 'draining: it is launched again' } : said
    },
    ...(driver && {
      hooks: hooksOf({
        driver,
        tree: facts.cwd,
        subject,
        tell: tellHook,
        append,
        record,
        written,
        heard,
        refused,
        judge,
        permit,
      }),
    }),
    telemetry: async (id, input) => {
      if (driver === undefined || posts.has(id)) return
      remember(posts, id, true)
      for (const event of driver.readTelemetry(input)) tell({ from: 'telemetry', event })
      await written()
    },
    drain: (on = true) => tell({ from: 'host', draining: on }),
    renew,
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
      pulse.close()
      permit?.close()
      bond.leave()
      forget()
      await tail?.close()
      await saved
      hearing.close()
    },
  }
}
