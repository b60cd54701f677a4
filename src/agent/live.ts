// An agent while its session lives: what is heard of it, what it is answered, and its end.
import type { Log } from '../base/log/open.ts'
import type { Driver } from '../driver/driver.ts'
import type { HookEvent } from '../driver/schema.ts'
import type { Fact } from '../journal/schema.ts'
import type { Keeper } from '../keeper/reach.ts'
import type { Exit } from '../keeper/schema.ts'
import { release } from '../session/dismiss.ts'
import { renameSession, saveHeard } from '../session/heard.ts'
import { isOver, stateOf } from '../session/rules.ts'
import type { Session, SessionState } from '../session/schema.ts'
import { openTail, type Place, type Tail } from '../session/tail.ts'
import type { AgentEntry } from './api.ts'
import { bondOf, type Ended } from './bond.ts'
import { type AgentFacts, entryOf } from './entry/rules.ts'
import { hearingOf } from './hearing.ts'
import { type Hooks, hooksOf } from './hooks.ts'

export type LiveOptions = {
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
  readonly log: Log
}

export type Live = {
  readonly name: string
  readonly subject: string
  readonly keeper: () => Keeper
  readonly session: () => Session
  readonly state: () => SessionState
  entry(): AgentEntry
  /** Absent for an unmanaged agent. */
  readonly hooks?: Hooks
  telemetry(id: string, input: unknown): void
  drain(): void
  /** Which process is the child; told once it is known. */
  runs(pid: number): void
  /** Resolves with its first hook; rejects with the reason why none will come. */
  readonly reported: Promise<void>
  /** Resolves when nothing of it is left. null = it was never launched, or its keeper was killed. */
  end(grace: number): Promise<Exit | null>
  readonly over: Promise<void>
  /** The host goes; the session stays with its keeper. */
  leave(): Promise<void>
}

const grace = 5_000
/** How often the transcript is looked at: soon while something goes on, now and then otherwise. */
const pauses = { busy: 300, quiet: 2_000 }
const outputPause = 5_000
const remembered = 1_000

const silenceOf = (session: Session): string | undefined => {
  const state = stateOf(session)
  if (state.name === 'unsupervised') return state.why
  if (state.name === 'lost') return 'its keeper was killed'
  if (state.name !== 'exited') return undefined
  return `it ended (${state.signal ?? `exit code ${state.code ?? 'unknown'}`}) before its first hook reported`
}

export const liveOf = (options: LiveOptions): Live => {
  const { facts, born, subject, driver, log, now, record, append } = options
  const { directory } = options.keeper.found
  let pid: number | undefined
  let exit: Exit | null = null
  let stopping: Promise<Exit | null> | undefined
  let pulse: NodeJS.Timeout | undefined
  const posts = new Set<string>()
  const reported = Promise.withResolvers<void>()
  const over = Promise.withResolvers<void>()
  // Whoever launches waits for it; of a recovered one nobody does.
  reported.promise.catch(() => undefined)

  const changed = (session: Session, before: Session): void => {
    if (session.started || !session.managed) reported.resolve()
    const why = silenceOf(session)
    if (why !== undefined) reported.reject(new Error(why))
    if (session.id !== before.id)
      renameSession(directory, session.id).catch((error: Error) =>
        log.error('the new conversation could not be noted', { agent: facts.name, reason: error.message }),
      )
    // It could act unseen: fails closed.
    if (stateOf(session).name === 'unsupervised' && stopping === undefined) {
      log.error('an agent is unsupervised and is stopped', { agent: facts.name, why })
      void end(grace)
    }
  }

  const hearing = hearingOf({ born, subject, now, record, changed })
  const { tell, session } = hearing

  const tail: Tail | undefined =
    driver &&
    options.transcript &&
    openTail({
      from: options.transcript,
      line: (text) => {
        for (const event of driver.readTranscript(text)) tell({ from: 'transcript', event })
      },
      moved: (place) => saveHeard(directory, place),
      pause: () => (stateOf(session()).name === 'idle' ? pauses.quiet : pauses.busy),
    })

  const heard = (event: HookEvent): void => {
    // A subagent's hooks name their parent's; `/clear` begins another file.
    if (event.kind === 'session_started' && event.transcript.startsWith('/')) tail?.follow(event.transcript)
  }

  const conclude = async (how: Ended): Promise<void> => {
    clearInterval(pulse)
    if (how.how === 'exited') exit = how.exit
    await tail?.close()
    tell({
      from: 'keeper',
      event:
        how.how === 'lost'
          ? { kind: 'lost' }
          : { kind: 'exited', code: how.exit.code, signal: how.exit.signal },
    })
    log.info(`agents/${facts.name}: ${stateOf(session()).name}`, { session: subject })
    if (how.how === 'exited')
      await release(bond.keeper()).catch((error: Error) =>
        log.warn('a keeper could not be released', { agent: facts.name, reason: error.message }),
      )
    hearing.close()
    over.resolve()
  }

  const bond = bondOf(options.keeper, (how) => void conclude(how))

  const end = (patience: number): Promise<Exit | null> => {
    const asked = bond
      .keeper()
      .end(patience)
      // A keeper that dies takes the session along; the bond tells how it ended.
      .catch(() => undefined)
    stopping = asked.then(async (how) => {
      const at = new Date(now()).toISOString()
      const never = { launch: 1, code: null, signal: null, at, asked: true, forced: false, left: [] }
      if (how === null && !isOver(session())) {
        bond.leave()
        await conclude({ how: 'exited', exit: never })
      }
      await over.promise
      return how ?? exit
    })
    return stopping
  }

  /** All that is known of an unmanaged agent is when it last printed. */
  const watchOutput = (): void => {
    let printed = 0
    pulse = setInterval(async () => {
      // A line that is down is taken up again elsewhere.
      const status = await bond
        .keeper()
        .status()
        .catch(() => undefined)
      const to = status?.output.terminal?.to ?? printed
      if (to !== printed) tell({ from: 'keeper', event: { kind: 'output' } })
      printed = to
    }, outputPause)
    pulse.unref()
  }
  if (!born.managed) watchOutput()

  return {
    name: facts.name,
    subject,
    keeper: bond.keeper,
    session,
    state: () => stateOf(session()),
    entry: () => {
      const running = isOver(session()) ? {} : { pid, keeper: bond.keeper().found.pid }
      return entryOf(facts, session(), running, now())
    },
    ...(driver && { hooks: hooksOf({ driver, tree: facts.cwd, subject, tell, append, record, heard }) }),
    telemetry: (id, input) => {
      if (driver === undefined || posts.has(id)) return
      const [oldest] = posts.size > remembered ? posts : []
      if (oldest !== undefined) posts.delete(oldest)
      posts.add(id)
      for (const event of driver.readTelemetry(input)) tell({ from: 'telemetry', event })
    },
    drain: () => tell({ from: 'host', draining: true }),
    runs: (child) => {
      pid = child
    },
    reported: reported.promise,
    end,
    over: over.promise,
    leave: async () => {
      bond.leave()
      clearInterval(pulse)
      await tail?.close()
      hearing.close()
    },
  }
}
