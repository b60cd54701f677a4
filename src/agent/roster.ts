// The launched agents of a host: launches them, goes on with those that a host before it launched, knows them by name.
import { randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fail, failure } from '../base/error/fail.ts'
import type { Log } from '../base/log/open.ts'
import { layout } from '../config/layout/rules.ts'
import type { Start } from '../driver/schema.ts'
import type { Fact } from '../journal/schema.ts'
import type { Keeper } from '../keeper/reach.ts'
import { loadRole } from '../role/load.ts'
import { readHeard, readSessionFile } from '../session/heard.ts'
import { launchSession } from '../session/launch.ts'
import type { Plan } from '../session/plan/schema.ts'
import { type Ask, prepare } from '../session/prepare.ts'
import { type Programs, programs } from '../session/programs.ts'
import { isOver } from '../session/rules.ts'
import type { Store } from '../store/store.ts'
import type { AgentEntry } from './api.ts'
import { enterAgent, sizeOf } from './enter.ts'
import { latch } from './latch.ts'
import type { Live } from './live.ts'
import { recover } from './recover.ts'

export type RosterOptions = {
  readonly root: string
  readonly store: Store
  readonly record: (...facts: readonly Fact[]) => void
  readonly now: () => number
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

export type Wanted = {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly role?: string | undefined
  readonly command?: readonly string[] | undefined
  readonly name?: string | undefined
  readonly pod?: string | undefined
  readonly overrides?: readonly string[] | undefined
  readonly args?: readonly string[] | undefined
}

export type Launched = { readonly agent: AgentEntry; readonly warnings: string[] }

export type Roster = {
  launch(wanted: Wanted): Promise<Launched>
  /** Goes on with the last session of an agent that has ended. */
  resume(wanted: Pick<Wanted, 'cwd' | 'env'> & { readonly name: string }): Promise<Launched>
  /** Goes on with the sessions whose keepers outlived the host before. */
  recover(): Promise<void>
  /** Waits until those of before are known again. */
  list(): Promise<readonly Live[]>
  /** The agent that a keeper speaks for. Refused until those of before are known again. */
  of(agent: string, session: string): Live
}

const defaults = { reportMs: 60_000, size: { columns: 120, rows: 40 } }

/** Without a transcript there is nothing to resume, and the id is still free. */
const hasSpoken = async (directory: string, id: string): Promise<boolean> => {
  const heard = await readHeard(directory)
  return heard !== undefined && (await sizeOf(join(dirname(heard.path), `${id}.jsonl`))) > 0
}

export const rosterOf = (options: RosterOptions): Roster => {
  const { root, store, record, now, log, reportMs = defaults.reportMs } = options
  const agents = new Map<string, Live>()
  const reserved = new Set<string>()
  const recovered = latch()
  let ready = false
  let known: Programs | undefined = options.programs
  const ours = (): Programs => {
    known ??= programs()
    return known
  }
  const context = { now, record, append: (facts: readonly Fact[]) => store.append(facts), log }

  const taken = (): readonly string[] => [
    ...options.taken(),
    ...reserved,
    ...[...agents.values()].filter((live) => !isOver(live.session())).map(({ name }) => name),
  ]

  const enroll = (live: Live): void => {
    agents.set(live.name, live)
    options.joined(live)
  }

  const leave = (live: Live, earlier: Live | undefined): void => {
    agents.delete(live.name)
    options.left(live)
    if (earlier !== undefined) enroll(earlier)
  }

  const begin = async (ask: Omit<Ask, 'root' | 'taken' | 'scripted' | 'at'>): Promise<Launched> => {
    const { scripted } = ours()
    const at = new Date(now()).toISOString()
    const prepared = await prepare({ ...ask, root, taken, scripted, at })
    // No pause between the two: of several with one name, the first has it.
    const plan = prepared.plan()
    reserved.add(plan.agent)
    const earlier = agents.get(plan.agent)
    let live: Live | undefined
    try {
      const watch = async (keeper: Keeper, final: Plan): Promise<Live> => {
        live = await enterAgent({ ...context, store, reportMs }, { ...prepared, keeper, plan: final })
        enroll(live)
        return live
      }
      const { child } = await launchSession({
        root,
        prepared,
        plan,
        programs: ours(),
        host: options.host,
        size: defaults.size,
        watch,
      })
      live?.runs(child.pid)
    } catch (error) {
      if (live !== undefined) leave(live, earlier)
      throw error
    } finally {
      reserved.delete(plan.agent)
    }
    const agent = live?.entry() ?? fail('internal', { what: 'a launched agent is missing' })
    log.info(`agents/${plan.agent}: launched`, { session: ask.start.id, role: plan.role ?? '-' })
    return { agent, warnings: [...plan.warnings] }
  }

  const callerOf = ({ cwd, env }: Pick<Wanted, 'cwd' | 'env'>) => ({
    cwd,
    env,
    home: env.HOME || homedir(),
    uid: process.getuid?.() ?? -1,
  })

  const launch: Roster['launch'] = async (wanted) => {
    const { role, command, name, pod, overrides = [], args: extra = [] } = wanted
    const what =
      role === undefined
        ? { command: command ?? [] }
        : { role: await loadRole(root, role, { pod: pod !== undefined, overrides }), extra }
    const start = { kind: 'new' as const, id: randomUUID() }
    return begin({ caller: callerOf(wanted), start, name, pod, what })
  }

  const resume: Roster['resume'] = async ({ name, ...wanted }) => {
    if (taken().includes(name)) fail('name_in_use', { name })
    const directory = layout(root).session(name)
    const file = await readSessionFile(directory)
    if (file === undefined)
      return fail('session_unknown', {
        agent: name,
        why: 'nothing that can be resumed was launched under it',
      })
    const { role, pod, overrides, arguments: extra, session_id: id, worktree, cwd } = file
    if (file.agent_type === 'command')
      fail('session_unknown', { agent: name, why: 'it ran a plain command, which remembers nothing' })
    const given = Object.entries(overrides).map(([key, value]) => `${key}=${value}`)
    const loaded = await loadRole(root, role, { pod: pod !== undefined, overrides: given })
    const start: Start = { kind: (await hasSpoken(directory, id)) ? 'resume' : 'new', id }
    const caller = { ...callerOf(wanted), cwd: worktree ?? cwd }
    return begin({ caller, start, name, pod, what: { role: loaded, extra } })
  }

  return {
    launch,
    resume,
    recover: async () => {
      try {
        for (const live of await recover({ ...context, root, store, reportMs })) enroll(live)
        ready = true
      } finally {
        // Looking must not wait for ever; hooks do, where it failed.
        recovered.resolve()
      }
    },
    list: async () => {
      await recovered.promise
      return [...agents.values()]
    },
    of: (agent, session) => {
      const live = agents.get(agent)
      if (live?.subject === session) return live
      if (!ready) throw failure('not_ready', { what: 'The host' })
      return fail('not_found', { what: `session ${session} of "${agent}"`, see: 'Type `agency list`.' })
    },
  }
}
