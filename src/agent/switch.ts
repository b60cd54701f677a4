// Switches the role of a session that lives, step by step; `src/session/switch/rules.ts` shows them. Whatever breaks on
// the way, both roles hold until the old process is gone.
import { setTimeout as wait } from 'node:timers/promises'
import { AgencyError, fail, failure } from '../base/error/fail.ts'
import type { Log } from '../base/log/open.ts'
import { layout } from '../config/layout/rules.ts'
import type { Fact } from '../journal/schema.ts'
import { findKeeper } from '../keeper/find.ts'
import { reachKeeper } from '../keeper/reach.ts'
import type { Exit } from '../keeper/schema.ts'
import { type LoadedRole, loadRole } from '../role/load.ts'
import { renameSession } from '../session/heard.ts'
import { type Last, lastSession } from '../session/last.ts'
import type { SessionRecord } from '../session/record/schema.ts'
import { isOver } from '../session/rules.ts'
import { narrow, noteRole, widen } from '../session/switch/note.ts'
import {
  interruptions,
  nextStep,
  switchedFact,
  switchingFact,
  unready,
  unswitchedFact,
  work,
} from '../session/switch/rules.ts'
import type { Switching } from '../session/switch/schema.ts'
import type { Store } from '../store/store.ts'
import type { AgainOptions } from './again.ts'
import type { Live } from './live.ts'
import { keptAt, letGo } from './switch/held.ts'
import { beginningOf, type Rehearsing, rehearse } from './switch/prepare.ts'

export type Wish = {
  readonly name: string
  readonly role: string
  /** Who asks. */
  readonly by: string
  /** What it does may be interrupted. */
  readonly confirm?: boolean | undefined
}

/** `resume`: it is not running, and has the role from its next resume on. */
export type Switched = {
  readonly from: string
  readonly to: string
  readonly when: 'now' | 'resume'
  readonly warnings: readonly string[]
}

export type SwitchOptions = Rehearsing &
  Pick<AgainOptions, 'reserved' | 'begin'> & {
    readonly store: Store
    readonly find: (agent: string) => Live | undefined
    /** One that does not run is known by another role. */
    readonly rest: (live: Live, role: string) => void
    readonly log: Log
  }

export type Switcher = {
  switchRole(wish: Wish): Promise<Switched>
  /** Goes on with what a host before has begun. */
  carryOn(): Promise<void>
  /** Resolves when no process of it is about to start, whatever came of that. */
  settled(agent: string): Promise<void>
}

type Going = Switching & { readonly agent: string; readonly subject: string }

const grace = 10_000
const look = 200

const whyOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')

/** Nothing more is heard of one that has reported to the host before. */
const isUp = async (live: Live): Promise<boolean> =>
  live.state().name !== 'starting' ||
  live.reported.then(
    () => true,
    () => false,
  )

export const switchOf = (options: SwitchOptions): Switcher => {
  const { root, store, reserved, find, callerOf, begin, log } = options
  const under = new Map<string, { readonly to: string; readonly done: Promise<Switched> }>()
  /** Those whose next process is about to start. */
  const moving = new Set<string>()
  const directoryOf = (agent: string): string => layout(root).session(agent)
  const append = (...facts: readonly Fact[]) => store.append(facts)

  const note = async ({ agent: _agent, subject, ...going }: Going): Promise<void> => {
    await append(switchingFact(subject, going))
  }

  /** It holds once it is resumed. */
  const later = async (going: Pick<Going, 'agent' | 'subject' | 'from' | 'to' | 'by'>): Promise<void> => {
    await noteRole(directoryOf(going.agent), going.to)
    await append(switchedFact(going.subject, going, 'resume'))
    const live = find(going.agent)
    if (live !== undefined && isOver(live.session())) options.rest(live, going.to)
  }

  const atRest = async (going: Parameters<typeof later>[0]): Promise<Switched> => {
    await later(going)
    return { from: going.from, to: going.to, when: 'resume', warnings: [] }
  }

  const relaunch = async (going: Going): Promise<Switched> => {
    const { agent, from, to } = going
    moving.add(agent)
    const directory = directoryOf(agent)
    try {
      await noteRole(directory, to)
      await note({ ...going, stage: 'relaunching' })
      const found = (await findKeeper(directory)) ?? fail('keeper_gone', { agent, why: 'it was ended too' })
      const keeper = await reachKeeper(found)
      const { caller, ...tokens } = await keeper.recall()
      const last = await lastSession(root, agent, 'switch')
      const loaded = await loadRole(root, to, { pod: last.file.pod !== undefined })
      const beginning = await beginningOf(callerOf, last, loaded, { caller, ...tokens })
      const { warnings } = await begin({ ...beginning, again: { keeper, tokens } })
      await append(switchedFact(going.subject, going, 'now'))
      return { from, to, when: 'now', warnings }
    } catch (error) {
      await letGo(directory)
      await later(going)
      const problems = error instanceof AgencyError ? error.problems : []
      throw failure('switch_stopped', { agent, to, why: whyOf(error), problems, cause: error as Error })
    }
  }

  /** Nothing of the old process may be left: two would write into one conversation. */
  const stop = async (live: Live, agent: string): Promise<void> => {
    const exit: Exit | null = await live.end(grace, { keep: true })
    const left = exit?.left ?? []
    if (left.length === 0) return
    const who = left.map(({ pid, command }) => `${pid} (${command})`).join(', ')
    fail('agent_left', { agent, who })
  }

  /** As it was: its process has not been told to end. */
  const takeBack = async (live: Live | undefined, going: Going, why: string): Promise<void> => {
    live?.drain(false)
    await widen(directoryOf(going.agent)).finally(() => live?.renew())
    await append(unswitchedFact(going.subject, going, why))
  }

  const told = async (live: Live, going: Going): Promise<Going> => {
    const { launches } = await live.keeper().status()
    const stopping: Going = { ...going, stage: 'stopping', launches }
    await note(stopping)
    return stopping
  }

  const carry = async (live: Live, going: Going): Promise<Switched> => {
    live.drain()
    if (going.stage !== 'narrowed') return finish(live, going)
    // Only for a host that comes later: in between it may have begun something that nobody was asked about.
    while (!going.confirmed && work(live.session()).length > 0 && !isOver(live.session()))
      await Promise.race([live.over, wait(look, undefined, { ref: false })])
    if (isOver(live.session())) return atRest(going)
    const stopping = await told(live, going).catch(async (error: Error) => {
      await takeBack(live, going, whyOf(error))
      throw error
    })
    return finish(live, stopping)
  }

  /** From here on there is no way back. */
  const finish = async (live: Live, going: Going): Promise<Switched> => {
    const { agent } = going
    moving.add(agent)
    reserved.add(agent)
    try {
      await stop(live, agent).catch(async (error: Error) => {
        await letGo(directoryOf(agent))
        await later(going)
        throw error
      })
      // The CLI may have begun another conversation just before.
      await renameSession(directoryOf(agent), live.session().id)
      return await relaunch(going)
    } finally {
      reserved.delete(agent)
    }
  }

  const alive = async (live: Live, last: Last, loaded: LoadedRole, wish: Wish): Promise<Switched> => {
    const { name: agent, role: to, by, confirm = false } = wish
    const { directory, file } = last
    const from = file.role
    const why = unready(live.session())
    if (why !== undefined) fail('role_not_switchable', { agent, why })
    if (live.state().name === 'starting') throw failure('not_ready', { what: `agents/${agent}` })
    await rehearse(options, last, loaded)
    const refuse = (): void => {
      const problems = interruptions(live.session())
      if (problems.length > 0 && !confirm) fail('switch_interrupts', { agent, from, to, problems })
    }
    refuse()
    const { subject } = live
    const going: Going = { agent, subject, from, to, by, stage: 'asked', confirmed: confirm }
    await note(going)
    try {
      refuse()
      live.drain()
      const current = async () => (await loadRole(root, from, { pod: file.pod !== undefined })).role
      await narrow(directory, loaded.role, current)
      live.renew()
      await note({ ...going, stage: 'narrowed' })
    } catch (error) {
      await takeBack(live, going, whyOf(error))
      throw error
    }
    return carry(live, { ...going, stage: 'narrowed' })
  }

  /** Under which subject the journal knows the last session of an agent that does not run. */
  const subjectOf = async (agent: string, session: string): Promise<string> => {
    const { kept } = await store.list('session')
    const own = kept
      .map(({ subject, state }) => ({ id: subject.slice('session:'.length), ...(state as SessionRecord) }))
      .filter((record) => record.agent === agent)
      .sort((one, other) => (one.launched < other.launched ? 1 : -1))
    return own[0]?.id ?? session
  }

  const change = async (wish: Wish): Promise<Switched> => {
    const { name: agent, role: to, by } = wish
    const live = find(agent)
    const last = await lastSession(root, agent, 'switch')
    const { role: from, pod, agent_type: type, session_id: session } = last.file
    const loaded = await loadRole(root, to, { pod: pod !== undefined })
    if (loaded.role.agent_type !== type)
      fail('role_not_switchable', { agent, why: `"${to}" is for another program than it runs` })
    const rests = live === undefined || isOver(live.session())
    if (from === to) return { from, to, when: rests ? 'resume' : 'now', warnings: [] }
    if (!rests) return alive(live, last, loaded, wish)
    if (reserved.has(agent)) fail('switch_running', { agent, to })
    return atRest({ agent, subject: live?.subject ?? (await subjectOf(agent, session)), from, to, by })
  }

  const one = (agent: string, to: string, work: () => Promise<Switched>): Promise<Switched> => {
    const done = work().finally(() => {
      under.delete(agent)
      moving.delete(agent)
    })
    under.set(agent, { to, done })
    return done
  }

  const recoverOne = async (going: Going): Promise<Switched> => {
    const { agent, subject, from, to } = going
    const directory = directoryOf(agent)
    const live = find(agent)
    const kept = await keptAt(directory)
    if (live === undefined && kept.keeper !== 'gone')
      fail('internal', { what: 'its keeper could not be met' })
    const replaced = live !== undefined && live.subject !== subject
    const step = replaced ? 'withdraw' : nextStep(going, kept)
    log.info(`agents/${agent}: its switch to ${to} is gone on with`, { stage: going.stage, step })
    if (step === 'stop' && live !== undefined) return carry(live, going)
    if (step === 'relaunch') return relaunch(going)
    if (step === 'withdraw') {
      await takeBack(live, going, 'the host died before anything had changed')
      return { from, to: from, when: 'now', warnings: [] }
    }
    const up = step === 'done' && live !== undefined && (await isUp(live))
    if (!up) return atRest(going)
    await append(switchedFact(subject, going, 'now'))
    return { from, to, when: 'now', warnings: [] }
  }

  const switchRole = async (wish: Wish): Promise<Switched> => {
    const before = under.get(wish.name)
    if (before === undefined) return one(wish.name, wish.role, () => change(wish))
    if (before.to !== wish.role) fail('switch_running', { agent: wish.name, to: before.to })
    const came = await before.done
    // What a host before had only been asked for was withdrawn: whoever asks now asks anew.
    return came.to === wish.role ? came : switchRole(wish)
  }

  return {
    switchRole,
    settled: async (agent) => {
      // Whoever asked for it hears why it failed.
      if (moving.has(agent)) await under.get(agent)?.done.catch(() => {})
    },
    carryOn: async () => {
      const { kept } = await store.list('session')
      for (const { subject, state } of kept) {
        const { agent, switching } = state as SessionRecord
        if (switching === undefined) continue
        const going = { ...switching, agent, subject: subject.slice('session:'.length) }
        // Nobody else may have the name before it is known what becomes of it.
        reserved.add(agent)
        void one(agent, going.to, () => recoverOne(going))
          .catch((error: Error) => log.error(`agents/${agent}: not switched`, { reason: error.message }))
          .finally(() => reserved.delete(agent))
      }
    },
  }
}
