// The launched agents of a host: launches them, goes on with those that a host before it launched, knows them by name.
import { randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import type { Approvals } from '../approval/desk.ts'
import { fail, failure } from '../base/error/fail.ts'
import type { Log } from '../base/log/open.ts'
import type { Budgets } from '../budget/book.ts'
import type { Meter } from '../budget/meter.ts'
import { layout } from '../config/layout/rules.ts'
import type { Fact } from '../journal/schema.ts'
import type { Keeper } from '../keeper/reach.ts'
import type { Desk } from '../message/desk.ts'
import { loadRole } from '../role/load.ts'
import { sessionNames } from '../session/gc/look.ts'
import { readSessionFile } from '../session/heard.ts'
import { launchSession } from '../session/launch.ts'
import type { Plan } from '../session/plan/schema.ts'
import { type Caller, prepare } from '../session/prepare.ts'
import { type Programs, programs } from '../session/programs.ts'
import { isOver } from '../session/rules.ts'
import type { Store } from '../store/store.ts'
import type { Book } from '../task/book.ts'
import { fetchWork } from '../worktree/fetch.ts'
import { againOf, type Beginning, type Calling, type Forked, type Launched, type Resumed } from './again.ts'
import { enterAgent } from './enter.ts'
import { forgetSessions } from './forget.ts'
import { latch } from './latch.ts'
import type { Live } from './live.ts'
import { restingAs } from './past.ts'
import { recover } from './recover.ts'
import type { WorkReviews } from './reviewed.ts'
import type { Reviewers } from './reviewer/reviewer.ts'
import { type Switched, switchOf, type Wish } from './switch.ts'

export type RosterOptions = {
  readonly root: string
  readonly store: Store
  readonly record: (...facts: readonly Fact[]) => void
  /** Resolves when what was recorded is on the disk; false = it is not. */
  readonly written: () => Promise<boolean>
  readonly desk: Desk
  readonly book: Book
  readonly approvals: Approvals
  readonly reviewers: Reviewers
  readonly works: WorkReviews
  readonly budgets: Budgets
  readonly now: () => number
  /** An agent may take what waits for one. */
  readonly freed: () => void
  readonly log: Log
  /** The host's unix socket. */
  readonly host: string
  /** Names that others have. */
  readonly taken: () => readonly string[]
  /** An agent has come. */
  readonly joined: (live: Live) => void
  /** It was never there. */
  readonly left: (live: Live) => void
  readonly programs?: Programs | undefined
  /** How long a first hook may take. */
  readonly reportMs?: number | undefined
}

export type Wanted = Calling & {
  readonly role?: string | undefined
  readonly command?: readonly string[] | undefined
  readonly name?: string | undefined
  readonly pod?: string | undefined
  readonly overrides?: readonly string[] | undefined
  readonly args?: readonly string[] | undefined
}

export type Roster = {
  launch(wanted: Wanted): Promise<Launched>
  /** Goes on with the last session of an agent that has ended. */
  resume(wanted: Resumed): Promise<Launched>
  /** A new agent that begins with what another one, living or ended, has said. */
  fork(wanted: Forked): Promise<Launched>
  /** Gives the agent another role, at once where it lives. */
  switchRole(wish: Wish): Promise<Switched>
  /** The agent of this name once its role is not being switched: until then another process is about to start. */
  settled(name: string): Promise<Live | undefined>
  /** Goes on with the sessions whose keepers outlived the host before. */
  recover(): Promise<void>
  /** Those that are over and cannot be resumed are not known any more; returns how many the journal forgot. */
  forget(): Promise<number>
  /** Waits until those of before are known again. */
  list(): Promise<readonly Live[]>
  /** Whether messages for it can ever be read: it runs, ran, or can be resumed. */
  knows(name: string): Promise<boolean>
  /** The agent that a keeper speaks for. Refused until those of before are known again. */
  of(agent: string, session: string): Live
}

/** How long a keeper of before may take to go. */
const patience = 20_000

const defaults = { reportMs: 60_000, size: { columns: 120, rows: 40 } }

export const rosterOf = (options: RosterOptions): Roster => {
  const {
    root,
    store,
    record,
    written,
    desk,
    book,
    approvals,
    reviewers,
    works,
    budgets,
    now,
    log,
    reportMs = defaults.reportMs,
  } = options
  const agents = new Map<string, Live>()
  const reserved = new Set<string>()
  const recovered = latch()
  let ready = false
  let known: Programs | undefined = options.programs
  const ours = (): Programs => {
    known ??= programs()
    return known
  }
  const append = (facts: readonly Fact[]) => store.append(facts)
  const { freed } = options
  const kept = { desk, book, approvals, reviewers, works, budgets }
  const context = { root, now, record, written, ...kept, append, freed, log }

  /** `mine` is reserved by whoever asks. */
  const taken = (mine?: string): readonly string[] => [
    ...options.taken(),
    ...[...reserved].filter((name) => name !== mine),
    ...[...agents.values()].filter((live) => !isOver(live.session())).map(({ name }) => name),
  ]

  /** What a walled agent committed is in its own clone; if it cannot be taken now, removing the clone tries again. */
  const takeWork = async (agent: string): Promise<void> => {
    const fetched = await fetchWork(root, agent).catch((error: Error) => ({ notes: [error.message] }))
    for (const note of fetched?.notes ?? []) log.warn(`agents/${agent}: ${note}`)
  }

  const enroll = (live: Live): void => {
    agents.set(live.name, live)
    options.joined(live)
    void live.over.then(() => takeWork(live.name))
  }

  const leave = (live: Live, earlier: Live | undefined): void => {
    agents.delete(live.name)
    options.left(live)
    if (earlier !== undefined) enroll(earlier)
  }

  const begin = async (beginning: Beginning): Promise<Launched> => {
    const { history, again, fresh, ...ask } = beginning
    const { scripted } = ours()
    const at = new Date(now()).toISOString()
    // Who is launched again has its name all the time.
    const others = () => (again === undefined ? taken(ask.mine) : [])
    const prepared = await prepare({ ...ask, root, taken: others, scripted, at })
    // No pause between the two: of several with one name, the first has it.
    const plan = prepared.plan()
    reserved.add(plan.agent)
    const earlier = agents.get(plan.agent)
    let live: Live | undefined
    let meter: Meter | undefined
    try {
      // The keeper of before may still be going, and holds the directory until it is gone.
      if (earlier !== undefined) await Promise.race([earlier.over, wait(patience, undefined, { ref: false })])
      const limits = 'role' in ask.what ? [ask.what.role.role.budget] : []
      const { agent, role, pod } = plan
      // As its keeper knows it.
      const source = again?.keeper.found.session ?? ask.start.id
      const counted = await budgets.reserve({
        ...{ agent, role, pod, limits, fresh, again: again !== undefined },
        ...{ source, run: `${source}@${now()}` },
      })
      meter = counted
      const watch = async (keeper: Keeper, final: Plan): Promise<Live> => {
        const entering = { ...prepared, keeper, plan: final, meter: counted }
        live = await enterAgent({ ...context, store, reportMs }, entering)
        enroll(live)
        return live
      }
      const { child } = await launchSession({
        root,
        prepared,
        history,
        again,
        plan,
        programs: ours(),
        host: options.host,
        size: defaults.size,
        watch,
      })
      live?.runs(child.pid)
    } catch (error) {
      if (live !== undefined) leave(live, earlier)
      if (again === undefined) meter?.release()
      else meter?.over()
      throw error
    } finally {
      reserved.delete(plan.agent)
    }
    const agent = live?.entry() ?? fail('internal', { what: 'a launched agent is missing' })
    log.info(`agents/${plan.agent}: launched`, { session: ask.start.id, role: plan.role ?? '-' })
    return { agent, warnings: [...plan.warnings] }
  }

  const callerOf = ({ cwd, env }: Calling): Caller => ({
    cwd,
    env,
    home: env.HOME || homedir(),
    uid: process.getuid?.() ?? -1,
  })

  const launch: Roster['launch'] = async (wanted) => {
    const { role, command, name, pod, overrides = [], args: extra = [] } = wanted
    if (role !== undefined && command !== undefined)
      fail('validation_error', { what: 'An agent has a role or runs a command, not both.' })
    const what =
      role === undefined
        ? { command: command ?? [] }
        : { role: await loadRole(root, role, { pod: pod !== undefined, overrides }), extra }
    const start = { kind: 'new' as const, id: randomUUID() }
    return begin({ caller: callerOf(wanted), start, name, pod, what, fresh: true })
  }

  const { resume, fork } = againOf({ root, taken, reserved, callerOf, begin })
  const switching = switchOf({
    root,
    store,
    reserved,
    callerOf,
    begin,
    find: (agent) => agents.get(agent),
    rest: (live, role) => enroll(restingAs(live, role, context)),
    scripted: () => ours().scripted,
    now,
    log,
  })

  const forget: Roster['forget'] = async () => {
    const there = await sessionNames(root)
    for (const live of [...agents.values()]) {
      const free = isOver(live.session()) && !reserved.has(live.name) && !there.includes(live.name)
      if (free) leave(live, undefined)
    }
    return forgetSessions(root, store)
  }

  return {
    launch,
    resume,
    fork,
    switchRole: switching.switchRole,
    settled: async (name) => {
      await switching.settled(name)
      return agents.get(name)
    },
    recover: async () => {
      try {
        for (const live of await recover({ ...context, store, reportMs })) enroll(live)
        await switching.carryOn()
        ready = true
        // Nobody waits for it.
        void forget().catch((error: Error) =>
          log.warn('sessions that are gone stay known', { reason: error.message }),
        )
      } finally {
        // Looking must not wait for ever; hooks do, where it failed.
        recovered.resolve()
      }
    },
    forget,
    list: async () => {
      await recovered.promise
      return [...agents.values()]
    },
    knows: async (name) => {
      await recovered.promise
      return agents.has(name) || (await readSessionFile(layout(root).session(name))) !== undefined
    },
    of: (agent, session) => {
      const live = agents.get(agent)
      if (live?.subject === session) return live
      if (!ready) throw failure('not_ready', { what: 'The host' })
      return fail('not_found', { what: `session ${session} of "${agent}"`, see: 'Type `agency list`.' })
    },
  }
}
