// The life of a host: it takes its ground, opens its doors, starts its components; and all of it back again.
import { reviewedBy } from '../agent/escalate.ts'
import { workReviewsOf } from '../agent/reviewed.ts'
import { type Roster, type RosterOptions, rosterOf } from '../agent/roster.ts'
import { openApprovals } from '../approval/desk.ts'
import { isSettled } from '../approval/rules.ts'
import { type AgencyError, failure } from '../base/error/fail.ts'
import { type Undo, undoing } from '../base/undo.ts'
import { version } from '../base/version.ts'
import { openBudgets } from '../budget/book.ts'
import { openDesk } from '../message/desk.ts'
import { isOver } from '../registry/rules.ts'
import { openReviews } from '../review/desk.ts'
import { isOpen } from '../task/attempt/rules.ts'
import { openBook } from '../task/book.ts'
import { openRetention } from '../task/history/retain.ts'
import type { Task } from '../task/schema.ts'
import { lastSnapshot, snapshot } from '../worktree/snapshot.ts'
import { openHostDoors } from './announce.ts'
import type { Asked, Kind } from './component.ts'
import { type Crew, crewOf } from './crew.ts'
import { doorsOf, locator } from './doors.ts'
import { endingsOf, type HowToEnd } from './ending.ts'
import { type Ground, type GroundOptions, takeGround } from './ground.ts'
import { headlessAgents } from './headless.ts'
import type { Limits } from './http/listen.ts'
import { tableOf } from './http/router.ts'
import { hostInspector } from './inspector.ts'
import { kindsOf } from './kinds.ts'
import { launchedMember } from './launched.ts'
import { maskFor } from './mask.ts'
import type { Member } from './member.ts'
import { poolOf } from './pool.ts'
import { hostReviewers } from './reviewers.ts'
import { agentsRoutes } from './routes/agents.ts'
import { approvalRoutes } from './routes/approvals.ts'
import { budgetRoutes } from './routes/budgets.ts'
import { hookRoutes, type Voice } from './routes/hooks.ts'
import { hostRoutes } from './routes/host.ts'
import { messageRoutes } from './routes/messages.ts'
import { reviewRoutes } from './routes/reviews.ts'
import { restingRoutes } from './routes/role.ts'
import type { HostState, HostStatus } from './schema.ts'
import { watchOf } from './watch.ts'

export type HostOptions = GroundOptions & {
  readonly kinds?: readonly Kind[]
  /** Runs only what is brought to it, besides the agents of the host before. */
  readonly bare?: boolean
  readonly limits?: Limits
  readonly agents?: Pick<RosterOptions, 'programs' | 'reportMs'>
  /** Milliseconds between looks whether the root is still there. */
  readonly lookout?: number
}

export type Host = {
  readonly socket: string
  readonly port: number
  status(): HostStatus
  finish(how: HowToEnd): Promise<void>
  /** No more patience with running work. */
  hurry(): void
  /** Logs what nobody caught. */
  fault(error: unknown): void
  /** Resolves with the reason when nothing is left. */
  readonly ended: Promise<string>
}

/** A root that cannot be looked at is not gone: somebody may have taken a right away for a moment. */
const isHeld = ({ lock, log }: Ground): boolean => {
  try {
    return lock.held()
  } catch (error) {
    log.warn('the root cannot be looked at', { reason: (error as Error).message })
    return true
  }
}

const run = async (options: HostOptions, ground: Ground, undo: Undo): Promise<Host> => {
  const { log, store, bell, ledger, config } = ground
  const began = performance.now()
  const watch = watchOf({ store, bell })
  let ready = false
  // Whether everybody has a place: those of the host before too.
  let known = false
  let port = 0
  let crew: Crew | undefined
  let roster: Roster | undefined
  const now = (): number => ground.now().getTime()
  const written = async (): Promise<boolean> => {
    await ledger.flush()
    return ledger.trouble() === undefined
  }
  const desk = await openDesk({ store, record: ledger.record, now })
  const approvals = await openApprovals({ store, now, log, mask: () => maskFor(options.root, ground.token) })
  undo.add('let approvals wait', approvals.close)
  const reviews = openReviews({ store, now, mask: () => maskFor(options.root, ground.token) })
  const reviewers = hostReviewers({
    ...options.agents,
    root: options.root,
    token: ground.token,
    record: ledger.record,
    now,
    log,
  })
  undo.add('end reviewers', reviewers.close)
  const inspector = hostInspector({
    ...options.agents,
    root: options.root,
    token: ground.token,
    record: ledger.record,
  })
  undo.add('end reviews', inspector.close)
  const works = workReviewsOf({
    root: options.root,
    reviews,
    approvals,
    settings: ground.review,
    inspect: inspector.inspect,
    snapshot,
    log,
  })
  const budgets = await openBudgets({ store, record: ledger.record, written, now, limits: ground.budgets })
  undo.add('stop counting', budgets.close)
  const book = await openBook({ store, record: ledger.record, most: ground.history.tasks })
  // Before any task is given: what has no task now is left over.
  const retention = await openRetention({ root: options.root, book, limits: ground.history, now, log })
  undo.add('stop forgetting tasks', retention.close)
  const endings = endingsOf({ ground, watch, undo, crew: () => crew })

  const state = (): HostState => {
    if (endings.begun()) return 'draining'
    if (!ready) return 'starting'
    return ledger.trouble() === undefined ? 'idle' : 'degraded'
  }
  const status = (): HostStatus => {
    const trouble = ledger.trouble()
    const pausedAt = pool.queue.paused()
    return {
      type: 'host',
      interfaces: ['statusable'],
      version,
      state: state(),
      ...(trouble !== undefined && { message: trouble }),
      uptime_seconds: Math.floor((performance.now() - began) / 1000),
      pid: process.pid,
      root: options.root,
      port,
      components: crew?.members().length ?? 0,
      ...(pausedAt !== undefined && { paused_since: new Date(pausedAt).toISOString() }),
      log: [...log.recent()],
    }
  }
  const closed = (): AgencyError | undefined => {
    const what = 'The host'
    if (endings.begun()) return failure('draining', { what })
    return ready ? undefined : failure('not_ready', { what })
  }

  const headless = headlessAgents({ root: options.root, ...options.agents })
  undo.add('let spare keepers go', headless.close)
  /** Who answers a keeper. 503 makes it ask again; anything else it would take for a refusal. */
  const voice = (agent: string, session: string): Voice => {
    const found = headless.voice(agent, session)
    if (found !== undefined) return found
    const member = crew?.find(`agents/${agent}`)
    // Not one that is being launched: it starts by this very hook.
    const starting = member?.file !== undefined && member.state() === 'starting'
    // Whoever brought it to the host before will bring it again.
    const isIts = (task: Task): boolean => task.session === session && isOpen(task)
    const awaited = member === undefined && book.open(agent).some(isIts)
    if (roster === undefined || starting || awaited) throw failure('not_ready', { what: 'The host' })
    return roster.of(agent, session)
  }

  const pool = poolOf({ ground, book, headless, crew: () => crew, roster: () => roster, written, now })
  undo.add('give no more tasks', pool.queue.close)

  const switchRole: Roster['switchRole'] = async (wish) => {
    if (roster === undefined) throw failure('not_ready', { what: 'The host' })
    return roster.switchRole(wish)
  }
  const routes = [
    ...pool.routes,
    ...hostRoutes({ store, watch, crew: () => crew, status, ...endings }),
    ...agentsRoutes(() => roster),
    ...hookRoutes(voice),
    ...messageRoutes(desk, () => roster),
    ...approvalRoutes(options.root, approvals),
    ...budgetRoutes(budgets),
    ...reviewRoutes({
      store,
      reviews,
      now,
      tree: (session) => lastSnapshot({ root: options.root, session }),
    }),
    ...restingRoutes(switchRole),
  ]
  const table = tableOf(routes, closed, () => known)
  const doors = doorsOf({ token: ground.token, log, limits: options.limits })
  const locate = locator(table, () => crew)
  const address = await openHostDoors(ground, doors, locate, endings.hurried, undo)
  port = address.port

  // Looked at, not watched: a watch on a directory is lost with it, and says nothing of a lock that was replaced.
  const lookout = setInterval(() => {
    if (isHeld(ground)) return
    log.error(failure('root_gone', { root: options.root }).message)
    void endings.finish({ reason: 'root_gone', seconds: 0, leave: true })
  }, options.lookout ?? 2_000)
  undo.add('stop looking at the root', () => clearInterval(lookout))

  const shutdown = (member: Member, asked: Asked): number => endings.endMembers([member], asked)
  const everybody = crewOf({
    bare: options.bare,
    kinds:
      options.kinds ??
      kindsOf(
        headless.around({
          socket: address.socket,
          record: ledger.record,
          written,
          now,
          book,
          approvals,
          reviewers,
          works,
          budgets,
          moved: pool.queue.look,
          delegation: pool.delegation,
        }),
      ),
    layout: ground.layout,
    level: config.log_level,
    secrets: [ground.token],
    now: ground.now,
    store,
    ledger,
    hostLog: log,
    serve: doors.member,
    shutdown,
  })
  crew = everybody
  const agents = rosterOf({
    root: options.root,
    store,
    record: ledger.record,
    written,
    desk,
    book,
    approvals,
    reviewers,
    works,
    budgets,
    now,
    log,
    host: address.socket,
    taken: () =>
      everybody
        .members()
        .filter(({ kind, state }) => kind.place === 'agents' && !isOver(state()))
        .map(({ name }) => name),
    freed: pool.queue.look,
    joined: (live) => {
      everybody.add(launchedMember({ live, now, delegation: pool.delegation, roster: agents, shutdown }))
      pool.joined(live)
    },
    left: (live) => {
      pool.left(live)
      everybody.remove(`agents/${live.name}`)
    },
    ...options.agents,
  })
  roster = agents
  log.info('the host is up', { pid: process.pid, port, version })
  // Not awaited: a component that takes its time must not keep the others, or `/status`, waiting.
  const met = agents.recover().then(
    () => {
      known = true
    },
    (error: Error) => {
      // Their hooks then wait for the next host: nothing is allowed meanwhile.
      log.error('the agents of the host before cannot be met', { reason: error.message })
    },
  )
  void Promise.all([everybody.start(), met]).then(() => {
    ready = true
    if (!endings.begun()) ground.record('idle')
    // Whoever asked and is not there any more ended while no host was up.
    const lives = (agent: string, session: string): boolean => {
      try {
        return voice(agent, session).hooks !== undefined
      } catch (error) {
        return (error as AgencyError).code !== 'not_found'
      }
    }
    const works = (agent: string, session: string): boolean =>
      lives(agent, session) || book.open(agent).some((task) => task.session === session)
    for (const { agent, session } of approvals.list().filter((one) => !isSettled(one))) {
      const reviewed = reviewedBy(session)
      if (reviewed === undefined ? !lives(agent, session) : !works(agent, reviewed))
        void approvals.over(session, 'its session ended')
    }
  })
  const fault = (error: unknown): void =>
    log.error('a mistake in agency', { stack: error instanceof Error ? error.stack : String(error) })
  return { ...address, status, fault, finish: endings.finish, hurry: endings.hurry, ended: endings.ended }
}

export const startHost = async (options: HostOptions): Promise<Host> => {
  const undo = undoing()
  try {
    return await run(options, await takeGround(options, undo), undo)
  } catch (error) {
    await undo.run()
    throw error
  }
}
