// The tasks of the whole root: those that wait for an agent, and who does the others.
import type { Live } from '../agent/live.ts'
import type { Roster } from '../agent/roster.ts'
import { fail } from '../base/error/fail.ts'
import { isOver } from '../registry/rules.ts'
import type { ComponentState } from '../registry/schema.ts'
import type { Book } from '../task/book.ts'
import { type Hand, type Queue, queueOf } from '../task/queue.ts'
import type { Task } from '../task/schema.ts'
import type { Work } from '../task/work.ts'
import type { Crew } from './crew.ts'
import { type Bearer, type Delegation, delegationOf } from './delegation.ts'
import type { Ground } from './ground.ts'
import type { headlessAgents } from './headless.ts'
import type { Route } from './http/route.ts'
import { queueRoutes } from './routes/queue.ts'

export type PoolOptions = {
  readonly ground: Ground
  readonly book: Book
  readonly headless: ReturnType<typeof headlessAgents>
  readonly crew: () => Crew | undefined
  readonly roster: () => Roster | undefined
  readonly written: () => Promise<boolean>
  readonly now: () => number
}

export type Pool = {
  readonly queue: Queue
  readonly delegation: Delegation
  /** An agent was launched, or found again. */
  joined(live: Live): void
  left(live: Live): void
  readonly routes: readonly Route[]
}

export const poolOf = (options: PoolOptions): Pool => {
  const { ground, book, headless, crew, roster, written, now } = options
  const memberOf = (agent: string) => crew()?.find(`agents/${agent}`)
  const stateOf = (agent: string): ComponentState => memberOf(agent)?.state() ?? 'exited'
  /** One that was stopped may have left its name to one that was launched, and the other way round. */
  const isConfigured = (agent: string): boolean => memberOf(agent)?.file !== undefined

  /** Those that were launched, by name. */
  const launched = new Map<string, Live>()

  const atTerminal = (live: Live): Hand => {
    const { name, role, pod } = live.entry()
    const { id, typed, draft } = live.session()
    const [state, freeSince] = [stateOf(name), live.tasks.freeSince()]
    const begun = typed !== undefined || draft ? 'being typed to' : 'about to get a message'
    return {
      name,
      role,
      pod,
      labels: [],
      state,
      freeSince,
      ...(state === 'idle' && freeSince === undefined && { busy: begun }),
      terminal: true,
      session: id,
      named: !live.queue,
      claim: live.tasks.claim,
      has: async (session) => session === id,
      credentials: async () => [],
    }
  }

  const hands = (): readonly Hand[] =>
    [
      ...headless.hands().map((hand) => ({ ...hand, state: stateOf(hand.name) })),
      ...[...launched.values()].filter((live) => live.session().managed).map(atTerminal),
    ].filter(({ name, state, terminal = false }) => !isOver(state) && terminal !== isConfigured(name))

  const bearer = (agent: string): Bearer | undefined =>
    isConfigured(agent) ? headless.bearer(agent) : launched.get(agent)?.entry()
  const delegation = delegationOf(ground.layout.root, bearer)
  const queue = queueOf({
    book,
    store: ground.store,
    root: ground.layout.root,
    hands,
    written,
    now,
    log: ground.log,
    paused: ground.paused === undefined ? undefined : Date.parse(ground.paused),
  })

  const workOf = async (agent: string): Promise<Work | undefined> =>
    headless.find(agent) ?? (await roster()?.list())?.find(({ name }) => name === agent)?.tasks

  const ownerOf = async (id: string): Promise<{ task: Task; work?: Work | undefined } | undefined> => {
    const waiting = queue.find(id)
    if (waiting !== undefined) return { task: waiting }
    await written()
    const task = (await ground.store.load(`task:${id}`))?.state as Task | undefined
    return task && { task, ...(task.agent !== undefined && { work: await workOf(task.agent) }) }
  }

  const open = (): readonly Task[] =>
    (crew()?.members() ?? [])
      .filter(({ kind }) => kind.place === 'agents')
      .flatMap(({ name }) => book.open(name))

  const pause = async (wanted: boolean): Promise<void> => {
    queue.pause(wanted)
    ground.record('paused', { paused: wanted })
    if (!(await written())) fail('not_stored', { what: 'the pause' })
  }
  const routes = queueRoutes({ queue: () => queue, open, ownerOf, pause, delegation, now })
  return {
    queue,
    delegation,
    routes,
    joined: (live) => {
      launched.set(live.name, live)
      queue.look()
    },
    left: ({ name }) => {
      launched.delete(name)
    },
  }
}
