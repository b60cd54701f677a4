// A headless agent as a component of the host: its file says what it is, its worker does its tasks.

import { archiveOf } from '../agent/headless/archive.ts'
import { instructionsBeside } from '../agent/headless/instructions.ts'
import { loginOf } from '../agent/headless/login.ts'
import { workOf } from '../agent/headless/work.ts'
import { type Archive, type Worker, type WorkerOptions, workerOf } from '../agent/headless/worker.ts'
import { agentKind } from '../agent/kind.ts'
import type { AgentFile } from '../agent/schema.ts'
import { type Spares, sparesOf } from '../keeper/spare.ts'
import type { ComponentState } from '../registry/schema.ts'
import { type Programs, programs } from '../session/programs.ts'
import { isOpen } from '../task/attempt/rules.ts'
import type { Work } from '../task/work.ts'
import type { Component, Context, Kind } from './component.ts'
import { settingsRoutes } from './routes/settings.ts'
import { taskRoutes } from './routes/tasks.ts'

/** What all of them share. */
export type HeadlessAround = Pick<
  WorkerOptions,
  'root' | 'host' | 'programs' | 'spares' | 'env' | 'book' | 'record' | 'written' | 'now' | 'reportMs'
> & {
  readonly archive: Archive
  readonly past: Pick<Work, 'record' | 'debug'>
  /** From here on its hooks are answered. */
  readonly up: (agent: string, worker: Worker) => void
}

const make = (around: HeadlessAround, context: Context<AgentFile>): Component => {
  const { name: agent, store, log } = context
  let file = context.config
  let state: ComponentState = 'starting'
  let advice: string | undefined
  const report: typeof context.report = (next, message) => {
    state = next
    context.report(next, message ?? (next === 'idle' ? advice : undefined))
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
  around.up(agent, worker)
  return {
    routes: [
      ...taskRoutes(work, around.now),
      ...settingsRoutes({
        file: context.file,
        root: around.root,
        current: () => file,
        changed: (next) => {
          file = next
          // A role that was broken since is told by the task that needs it.
          void login.look().catch(() => {})
        },
      }),
    ],
    settings: () => file,
    start: async () => {
      // What would fail with every task is said before the first.
      await worker.program()
      await login.look()
      await worker.start()
    },
    currentTask: () => {
      const task = work.list().find(isOpen)
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
  const workers = new Map<string, Worker>()
  let known: Programs | undefined = given
  const ours = (): Programs => {
    known ??= programs()
    return known
  }
  let spares: Spares | undefined
  const archive = archiveOf(root)
  return {
    voice: (agent: string, session: string) => workers.get(agent)?.voice(session),
    around: (
      host: Pick<HeadlessAround, 'record' | 'written' | 'now' | 'book'> & { readonly socket: string },
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
      },
      spares: () => {
        spares ??= sparesOf(ours().keeper)
        return spares
      },
      env: Object.fromEntries(
        Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      ),
      archive,
      past: { record: async () => ({ prompts: [], log: [] }), debug: async () => [] },
      ...(reportMs === undefined ? {} : { reportMs }),
      up: (agent, worker) => {
        workers.set(agent, worker)
      },
    }),
    close: () => spares?.close(),
  }
}
