// A headless agent as a component of the host: its file says what it is, its worker does its tasks.

import { instructionsBeside } from '../agent/headless/instructions.ts'
import { loginOf } from '../agent/headless/login.ts'
import { type Claiming, workOf } from '../agent/headless/work.ts'
import { type Worker, type WorkerOptions, workerOf } from '../agent/headless/worker.ts'
import { agentKind } from '../agent/kind.ts'
import type { AgentFile } from '../agent/schema.ts'
import { type Spares, sparesOf } from '../keeper/spare.ts'
import type { ComponentState } from '../registry/schema.ts'
import { type Programs, programs } from '../session/programs.ts'
import { isOpen } from '../task/attempt/rules.ts'
import type { Hand } from '../task/queue.ts'
import type { Work } from '../task/work.ts'
import type { Component, Context, Kind } from './component.ts'
import type { Bearer, Delegation } from './delegation.ts'
import { taskedRoleRoutes } from './routes/role.ts'
import { settingsRoutes } from './routes/settings.ts'
import { taskRoutes } from './routes/tasks.ts'

/** What all of them share. */
export type HeadlessAround = Pick<
  WorkerOptions,
  | 'root'
  | 'host'
  | 'programs'
  | 'spares'
  | 'env'
  | 'book'
  | 'approvals'
  | 'reviewers'
  | 'works'
  | 'budgets'
  | 'record'
  | 'written'
  | 'now'
  | 'reportMs'
> & {
  /** From here on its hooks are answered. */
  readonly up: (agent: Headless) => void
  readonly delegation: Delegation
  /** It may be free. */
  readonly moved: () => void
}

/** One of them, while its host lives. */
export type Headless = {
  readonly name: string
  readonly worker: Worker
  readonly work: Work & Claiming
  readonly file: () => AgentFile
  readonly freeSince: () => number | undefined
}

const make = (around: HeadlessAround, context: Context<AgentFile>): Component => {
  const { name: agent, store, log } = context
  let file = context.config
  let state: ComponentState = 'starting'
  let advice: string | undefined
  let freeSince: number | undefined
  const report: typeof context.report = (next, message) => {
    state = next
    freeSince = next === 'idle' ? (freeSince ?? around.now()) : undefined
    context.report(next, message ?? (next === 'idle' ? advice : undefined))
    around.moved()
  }
  const login = loginOf({
    ...around,
    file: () => file,
    changed: (next) => {
      advice = next
      if (state === 'idle') report('idle')
    },
  })
  const instructions = (): Promise<string> => instructionsBeside(context.file)
  const worker = workerOf({ ...around, instructions, agent, store, log, report, file: () => file })
  const work = workOf({ ...around, agent, store, worker, file: () => file })
  around.up({
    name: agent,
    worker,
    work,
    file: () => file,
    freeSince: () => (worker.isSpent() ? undefined : freeSince),
  })
  const own = {
    agent,
    file: context.file,
    root: around.root,
    current: () => file,
    changed: (next: AgentFile) => {
      file = next
      // A role that was broken since is told by the task that needs it.
      void login.look().catch(() => {})
    },
  }
  return {
    routes: [
      ...taskRoutes(work, around.now, (asked) =>
        around.delegation.check(asked, { name: agent, role: file.role, pod: file.pod }),
      ),
      ...settingsRoutes(own),
      ...taskedRoleRoutes({ ...own, record: around.record }),
    ],
    settings: () => file,
    start: async () => {
      // What would fail with every task is said before the first.
      await worker.program()
      await login.look()
      await worker.start()
    },
    currentTask: () => {
      const task = work.open().find(isOpen)
      if (task === undefined) return null
      const { id, startedAt, at, preview } = task
      return { id, started_at: new Date(startedAt ?? at).toISOString(), prompt_preview: preview }
    },
    finish: (ending) => {
      login.close()
      return worker.finish(ending)
    },
  }
}

export const headlessKind = (around: HeadlessAround): Kind<AgentFile> => ({
  type: 'agent',
  place: 'agents',
  file: agentKind,
  interfaces: ['statusable', 'taskable', 'observable', 'configurable'],
  configFile: (layout, name) => layout.agentConfig(name),
  logFile: (layout, name) => layout.agentLog(name),
  make: (context) => make(around, context),
})

export type HeadlessOptions = {
  readonly root: string
  readonly programs?: Programs | undefined
  readonly reportMs?: number | undefined
}

/** The headless agents of a host: what they share is made when the first of them needs it. */
export const headlessAgents = ({ root, programs: given, reportMs }: HeadlessOptions) => {
  const agents = new Map<string, Headless>()
  let known: Programs | undefined = given
  const ours = (): Programs => {
    known ??= programs()
    return known
  }
  let spares: Spares | undefined
  return {
    voice: (agent: string, session: string) => agents.get(agent)?.worker.voice(session),
    find: (agent: string) => agents.get(agent)?.work,
    bearer: (agent: string): Bearer | undefined => {
      const found = agents.get(agent)
      return found && { name: agent, role: found.file().role, pod: found.file().pod }
    },
    /** Those that can be given what waits. */
    hands: (): readonly Omit<Hand, 'state'>[] =>
      [...agents.values()].map(({ name, file, work, freeSince }) => ({
        name,
        role: file().role,
        pod: file().pod,
        labels: file().labels,
        freeSince: freeSince(),
        claim: work.claim,
        has: work.has,
        credentials: work.credentials,
      })),
    around: (
      host: Pick<
        HeadlessAround,
        | 'record'
        | 'written'
        | 'now'
        | 'book'
        | 'approvals'
        | 'reviewers'
        | 'works'
        | 'budgets'
        | 'moved'
        | 'delegation'
      > & {
        readonly socket: string
      },
    ): HeadlessAround => ({
      ...host,
      root,
      host: host.socket,
      programs: {
        get hook() {
          return ours().hook
        },
        get scripted() {
          return ours().scripted
        },
        get walls() {
          return ours().walls
        },
      },
      spares: () => {
        spares ??= sparesOf(ours().keeper)
        return spares
      },
      env: Object.fromEntries(
        Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      ),
      ...(reportMs === undefined ? {} : { reportMs }),
      up: (agent) => {
        agents.set(agent.name, agent)
      },
    }),
    close: () => spares?.close(),
  }
}
